// kernelwright: task=../../tasks/max_all.py entry=max_all args="x, out, x.shape[0]"
// 1056 blocks stride over the grid, four elements a load
#include <cuda_runtime.h>

__global__ void ma_stride(const float4* x, int* out, int n4) {
    float v = 0.f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
        float4 u = x[i];
        v = fmaxf(v, fmaxf(fmaxf(u.x, u.y), fmaxf(u.z, u.w)));
    }
    for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) atomicMax(out, __float_as_int(v));
}
extern "C" void max_all(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4, stream);
    ma_stride<<<1056, 256, 0, stream>>>((const float4*)x, (int*)out, n / 4);
}
