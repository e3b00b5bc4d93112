// kernelwright: task=../../tasks/max_all.py entry=max_all args="x, out, x.shape[0]"
// the warp's largest by an instruction of the warp, an atomic maximum a warp
#include <cuda_runtime.h>

__global__ void ma_warp(const float* x, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i < n ? __float_as_uint(x[i]) : 0u;
    v = __reduce_max_sync(~0u, v);
    if (threadIdx.x % 32 == 0) atomicMax(out, (int)v);
}
extern "C" void max_all(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4, stream);
    ma_warp<<<(n + 255) / 256, 256, 0, stream>>>(x, (int*)out, n);
}
