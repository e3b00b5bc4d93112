// kernelwright: task=../../tasks/mish_backward_bf16.py entry=mish_back args="g, x, out, x.shape[0]"
// eight a thread, fast exponential and divisions
#include <cuda_bf16.h>

__device__ __forceinline__ float mi_fast(float v) {
    float n = __expf(fminf(v, 20.f)), w = n * (n + 2.f), t = __fdividef(w, w + 2.f);
    return t + v * __fdividef(n, 1.f + n) * (1.f - t * t);
}
__global__ void __launch_bounds__(256) mi_eight(const uint4* __restrict__ g, const uint4* __restrict__ x, uint4* __restrict__ out, int n8) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n8) return;
    uint4 a = x[i], b = g[i];
    const __nv_bfloat162 *xa = (const __nv_bfloat162*)&a, *gb = (const __nv_bfloat162*)&b;
    uint4 r;
    __nv_bfloat162* rp = (__nv_bfloat162*)&r;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float2 v = __bfloat1622float2(xa[k]), d = __bfloat1622float2(gb[k]);
        rp[k] = __floats2bfloat162_rn(d.x * mi_fast(v.x), d.y * mi_fast(v.y));
    }
    out[i] = r;
}
extern "C" void mish_back(const __nv_bfloat16* g, const __nv_bfloat16* x, __nv_bfloat16* out, int n, cudaStream_t stream) {
    mi_eight<<<(n / 8 + 255) / 256, 256, 0, stream>>>((const uint4*)g, (const uint4*)x, (uint4*)out, n / 8);
}
