// kernelwright: task=../../tasks/adam_step.py entry=adam_step args="p, g, m, v, out, p.numel()"
// four a thread
#include <cuda_runtime.h>

__device__ __forceinline__ float ad_one(float p, float g, float m, float v) {
    float m2 = 0.9f * m + 0.1f * g, v2 = 0.999f * v + 0.001f * g * g;
    return p - 0.001f / 0.271f * m2 * __frcp_rn(sqrtf(v2 * (1.f / 0.002997f)) + 1e-8f);
}
__global__ void __launch_bounds__(256) ad_four(const float4* __restrict__ p, const float4* __restrict__ g, const float4* __restrict__ m, const float4* __restrict__ v, float4* __restrict__ out, int n4) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    float4 a = p[i], b = g[i], c = m[i], d = v[i];
    out[i] = make_float4(ad_one(a.x, b.x, c.x, d.x), ad_one(a.y, b.y, c.y, d.y), ad_one(a.z, b.z, c.z, d.z), ad_one(a.w, b.w, c.w, d.w));
}
extern "C" void adam_step(const float* p, const float* g, const float* m, const float* v, float* out, int n, cudaStream_t stream) {
    ad_four<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)p, (const float4*)g, (const float4*)m, (const float4*)v, (float4*)out, n / 4);
}
