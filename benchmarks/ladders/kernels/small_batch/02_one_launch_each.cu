// kernelwright: task=../../tasks/small_batch.py entry=small_batch args="x, scale, out, x.shape[0], x.shape[1]"
// one launch a vector
#include <cuda_runtime.h>

__global__ void sb_one(const float* x, const float* s, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i] * *s + 0.5f;
    y[i] = v / (1.f + fabsf(v));
}
extern "C" void small_batch(const float* x, const float* scale, float* out, int b, int n, cudaStream_t stream) {
    for (int i = 0; i < b; ++i) sb_one<<<(n + 255) / 256, 256, 0, stream>>>(x + i * n, scale + i, out + i * n, n);
}
