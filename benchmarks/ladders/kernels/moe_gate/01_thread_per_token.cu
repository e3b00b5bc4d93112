// kernelwright: task=../../tasks/moe_gate.py entry=gate args="logits, out, logits.shape[0]"
// a thread a token, three passes over its 64 logits
#include <cuda_runtime.h>

__global__ void mg_thread(const float* logits, float* out, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t) return;
    const float* row = logits + i * 64;
    float top = row[0];
    for (int e = 1; e < 64; ++e) top = fmaxf(top, row[e]);
    float sum = 0.0f;
    for (int e = 0; e < 64; ++e) sum += expf(row[e] - top);
    float first = -1.0f, second = -1.0f;
    int a = 0, b = 0;
    for (int e = 0; e < 64; ++e) {
        float p = expf(row[e] - top) / sum;
        if (p > first) {
            second = first;
            b = a;
            first = p;
            a = e;
        } else if (p > second) {
            second = p;
            b = e;
        }
    }
    out[i * 4] = first / (first + second);
    out[i * 4 + 1] = second / (first + second);
    out[i * 4 + 2] = a;
    out[i * 4 + 3] = b;
}
extern "C" void gate(const float* logits, float* out, int t, cudaStream_t stream) {
    mg_thread<<<(t + 127) / 128, 128, 0, stream>>>(logits, out, t);
}
