// kernelwright: task=../../tasks/small_batch.py entry=small_batch args="x, scale, out, x.shape[0], x.shape[1]"
// one launch a vector, spread over four streams that are joined again
#include <cuda_runtime.h>

__global__ void sb_one(const float* x, const float* s, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i] * *s + 0.5f;
    y[i] = v / (1.f + fabsf(v));
}
extern "C" void small_batch(const float* x, const float* scale, float* out, int b, int n, cudaStream_t stream) {
    static cudaStream_t side[4];
    static cudaEvent_t begun, done[4];
    if (!begun) {
        cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
        for (int i = 0; i < 4; ++i) {
            cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
        }
    }
    cudaEventRecord(begun, stream);
    for (int i = 0; i < 4; ++i) cudaStreamWaitEvent(side[i], begun, 0);
    for (int i = 0; i < b; ++i) sb_one<<<(n + 255) / 256, 256, 0, side[i % 4]>>>(x + i * n, scale + i, out + i * n, n);
    for (int i = 0; i < 4; ++i) {
        cudaEventRecord(done[i], side[i]);
        cudaStreamWaitEvent(stream, done[i], 0);
    }
}
