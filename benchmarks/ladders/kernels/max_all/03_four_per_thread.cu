// kernelwright: task=../../tasks/max_all.py entry=max_all args="x, out, x.shape[0]"
// four elements a thread, an atomic maximum a block
#include <cuda_runtime.h>

__global__ void ma_four(const float4* x, int* out, int n4) {
    __shared__ float s[8];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 u = i < n4 ? x[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float v = fmaxf(fmaxf(u.x, u.y), fmaxf(u.z, u.w));
    for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x) return;
    for (int j = 1; j < 8; ++j) v = fmaxf(v, s[j]);
    atomicMax(out, __float_as_int(v));
}
extern "C" void max_all(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4, stream);
    ma_four<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)x, (int*)out, n / 4);
}
