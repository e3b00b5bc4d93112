// kernelwright: task=../../tasks/small_batch.py entry=small_batch args="x, scale, out, x.shape[0], x.shape[1]"
// one launch, a block a vector
#include <cuda_runtime.h>

__global__ void sb_block(const float* x, const float* s, float* y, int n) {
    float f = s[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += 1024) {
        float v = x[blockIdx.x * n + i] * f + 0.5f;
        y[blockIdx.x * n + i] = v / (1.f + fabsf(v));
    }
}
extern "C" void small_batch(const float* x, const float* scale, float* out, int b, int n, cudaStream_t stream) {
    sb_block<<<b, 1024, 0, stream>>>(x, scale, out, n);
}
