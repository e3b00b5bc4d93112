// kernelwright: task=../../tasks/causal_softmax.py entry=causal_softmax args="x, out, x.shape[0] * x.shape[1], x.shape[2]"
// a thread a row
#include <cuda_runtime.h>

__global__ void ca_thread(const float* x, float* out, int rows, int s) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int n = r % s + 1;
    const float* row = x + (size_t)r * s;
    float m = -1e30f, sum = 0.f;
    for (int i = 0; i < n; ++i) m = fmaxf(m, row[i]);
    for (int i = 0; i < n; ++i) sum += __expf(row[i] - m);
    for (int i = 0; i < s; ++i) out[(size_t)r * s + i] = i < n ? __expf(row[i] - m) / sum : 0.f;
}
extern "C" void causal_softmax(const float* x, float* out, int rows, int s, cudaStream_t stream) {
    ca_thread<<<(rows + 63) / 64, 64, 0, stream>>>(x, out, rows, s);
}
