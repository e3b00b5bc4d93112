// kernelwright: task=../../tasks/lion_step.py entry=lion_step args="p, m, g, out, p.numel()"
// two times four a thread, loads and stores that are not to stay in the caches
#include <cuda_runtime.h>

__device__ float decayed(float p, float a, float b) {
    float u = 0.9f * a + 0.1f * b;
    return p * (1.f - 0.01f * 0.1f) - (u > 0.f ? 0.01f : u < 0.f ? -0.01f : 0.f);
}
__global__ void __launch_bounds__(256) li_hints(const float4* __restrict__ p, const float4* __restrict__ m, const float4* __restrict__ g, float4* __restrict__ out, int n) {
    int first = blockIdx.x * 512 + threadIdx.x;
    float4 w[2], a[2], b[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        int i = first + 256 * k;
        if (i < n) {
            w[k] = __ldcs(p + i);
            a[k] = __ldcs(m + i);
            b[k] = __ldcs(g + i);
        }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        int i = first + 256 * k;
        if (i < n) {
            __stcs(out + i, make_float4(decayed(w[k].x, a[k].x, b[k].x), decayed(w[k].y, a[k].y, b[k].y), decayed(w[k].z, a[k].z, b[k].z), decayed(w[k].w, a[k].w, b[k].w)));
            __stcs(out + n + i, make_float4(0.99f * a[k].x + 0.01f * b[k].x, 0.99f * a[k].y + 0.01f * b[k].y, 0.99f * a[k].z + 0.01f * b[k].z, 0.99f * a[k].w + 0.01f * b[k].w));
        }
    }
}
extern "C" void lion_step(const float* p, const float* m, const float* g, float* out, int n, cudaStream_t stream) {
    li_hints<<<(n / 4 + 511) / 512, 256, 0, stream>>>((const float4*)p, (const float4*)m, (const float4*)g, (float4*)out, n / 4);
}
