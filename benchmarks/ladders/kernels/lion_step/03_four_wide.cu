// kernelwright: task=../../tasks/lion_step.py entry=lion_step args="p, m, g, out, p.numel()"
// four neighbours a thread
#include <cuda_runtime.h>

__device__ float decayed(float p, float a, float b) {
    float u = 0.9f * a + 0.1f * b;
    return p * (1.f - 0.01f * 0.1f) - (u > 0.f ? 0.01f : u < 0.f ? -0.01f : 0.f);
}
__global__ void li_four(const float4* __restrict__ p, const float4* __restrict__ m, const float4* __restrict__ g, float4* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 w = p[i], a = m[i], b = g[i];
    out[i] = make_float4(decayed(w.x, a.x, b.x), decayed(w.y, a.y, b.y), decayed(w.z, a.z, b.z), decayed(w.w, a.w, b.w));
    out[n + i] = make_float4(0.99f * a.x + 0.01f * b.x, 0.99f * a.y + 0.01f * b.y, 0.99f * a.z + 0.01f * b.z, 0.99f * a.w + 0.01f * b.w);
}
extern "C" void lion_step(const float* p, const float* m, const float* g, float* out, int n, cudaStream_t stream) {
    li_four<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)p, (const float4*)m, (const float4*)g, (float4*)out, n / 4);
}
