// kernelwright: task=../../tasks/small_batch.py entry=small_batch args="x, scale, out, x.shape[0], x.shape[1]"
// one launch, a row of blocks a vector, float4
#include <cuda_runtime.h>

__device__ __forceinline__ float squash(float x, float f) {
    float v = x * f + 0.5f;
    return __fdividef(v, 1.f + fabsf(v));
}
__global__ void sb_plane(const float4* x, const float* s, float4* y, int n4) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n4) return;
    float f = s[blockIdx.y];
    float4 v = x[blockIdx.y * n4 + i];
    y[blockIdx.y * n4 + i] = make_float4(squash(v.x, f), squash(v.y, f), squash(v.z, f), squash(v.w, f));
}
extern "C" void small_batch(const float* x, const float* scale, float* out, int b, int n, cudaStream_t stream) {
    sb_plane<<<dim3((n / 4 + 127) / 128, b), 128, 0, stream>>>((const float4*)x, scale, (float4*)out, n / 4);
}
