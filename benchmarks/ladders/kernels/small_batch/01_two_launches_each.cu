// kernelwright: task=../../tasks/small_batch.py entry=small_batch args="x, scale, out, x.shape[0], x.shape[1]"
// two launches a vector
#include <cuda_runtime.h>

__global__ void sb_scale(const float* x, const float* s, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * *s + 0.5f;
}
__global__ void sb_squash(float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = y[i] / (1.f + fabsf(y[i]));
}
extern "C" void small_batch(const float* x, const float* scale, float* out, int b, int n, cudaStream_t stream) {
    for (int i = 0; i < b; ++i) {
        sb_scale<<<(n + 255) / 256, 256, 0, stream>>>(x + i * n, scale + i, out + i * n, n);
        sb_squash<<<(n + 255) / 256, 256, 0, stream>>>(out + i * n, n);
    }
}
