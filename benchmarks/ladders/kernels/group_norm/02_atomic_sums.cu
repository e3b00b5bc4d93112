// kernelwright: task=../../tasks/group_norm.py entry=group_norm args="x, out, x.shape[0] * 32, x.shape[1] * x.shape[2] // 32"
// a launch that adds sums and squares atomically, a launch that normalises
#include <cuda_runtime.h>

__device__ float gn_sums[2 * 32 * 64];
__global__ void gn_add(const float* x, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], s = v, q = v * v;
    for (int o = 16; o; o /= 2) { s += __shfl_xor_sync(~0u, s, o); q += __shfl_xor_sync(~0u, q, o); }
    if (threadIdx.x % 32 == 0) { atomicAdd(&gn_sums[2 * (i / d)], s); atomicAdd(&gn_sums[2 * (i / d) + 1], q); }
}
__global__ void gn_apply(const float* x, float* out, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, g = i / d;
    float m = gn_sums[2 * g] / d, v = gn_sums[2 * g + 1] / d - m * m;
    out[i] = (x[i] - m) * rsqrtf(v + 1e-5f);
}
extern "C" void group_norm(const float* x, float* out, int groups, int d, cudaStream_t stream) {
    void* sums;
    cudaGetSymbolAddress(&sums, gn_sums);
    cudaMemsetAsync(sums, 0, (size_t)groups * 8, stream);
    gn_add<<<groups * d / 256, 256, 0, stream>>>(x, d);
    gn_apply<<<groups * d / 256, 256, 0, stream>>>(x, out, d);
}
