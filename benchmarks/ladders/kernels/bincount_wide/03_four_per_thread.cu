// kernelwright: task=../../tasks/bincount_wide.py entry=bincount_wide args="idx, w, out, idx.numel(), out.numel()"
// int4 and float4
#include <cuda_runtime.h>

__global__ void bw_four(const int4* idx, const float4* w, float* out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    int4 k = idx[i];
    float4 v = w[i];
    atomicAdd(&out[k.x], v.x); atomicAdd(&out[k.y], v.y); atomicAdd(&out[k.z], v.z); atomicAdd(&out[k.w], v.w);
}
extern "C" void bincount_wide(const int* idx, const float* w, float* out, int n, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)bins * 4, stream);
    bw_four<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const int4*)idx, (const float4*)w, out, n / 4);
}
