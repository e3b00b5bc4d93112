// kernelwright: task=../../tasks/foreach_sgd.py entry=foreach_sgd args="p, g, m, lr, out, p.shape[0], p.shape[1]"
// 528 blocks that stay, four values a load, tensors by division
#include <cuda_runtime.h>

__device__ __forceinline__ float fs_new(float a, float g, float m, float r) {
    float d = g + 0.01f * a;
    return a - r * (d + 0.9f * (0.9f * m + d));
}
__global__ void __launch_bounds__(512) fs_stay(const float4* __restrict__ p, const float4* __restrict__ g, const float4* __restrict__ m, const float* __restrict__ lr, float4* __restrict__ out, int n4, int total4) {
    for (int i = blockIdx.x * 512 + threadIdx.x; i < total4; i += gridDim.x * 512) {
        float4 a = p[i], b = g[i], c = m[i];
        float r = lr[i / n4];
        out[i] = make_float4(fs_new(a.x, b.x, c.x, r), fs_new(a.y, b.y, c.y, r), fs_new(a.z, b.z, c.z, r), fs_new(a.w, b.w, c.w, r));
    }
}
extern "C" void foreach_sgd(const float* p, const float* g, const float* m, const float* lr, float* out, int tensors, int n, cudaStream_t stream) {
    fs_stay<<<528, 512, 0, stream>>>((const float4*)p, (const float4*)g, (const float4*)m, lr, (float4*)out, n / 4, tensors * (n / 4));
}
