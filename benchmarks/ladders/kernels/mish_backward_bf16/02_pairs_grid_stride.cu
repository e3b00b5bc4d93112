// kernelwright: task=../../tasks/mish_backward_bf16.py entry=mish_back args="g, x, out, x.shape[0]"
// pairs, a persistent grid, one exponential and no logarithm
#include <cuda_bf16.h>

__device__ __forceinline__ float mi_slope(float v) {
    float n = expf(fminf(v, 20.f)), w = n * (n + 2.f), t = w / (w + 2.f);
    return t + v * (n / (1.f + n)) * (1.f - t * t);
}
__global__ void __launch_bounds__(256) mi_pairs(const __nv_bfloat162* __restrict__ g, const __nv_bfloat162* __restrict__ x, __nv_bfloat162* __restrict__ out, int n2) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n2; i += gridDim.x * 256) {
        float2 v = __bfloat1622float2(x[i]), d = __bfloat1622float2(g[i]);
        out[i] = __floats2bfloat162_rn(d.x * mi_slope(v.x), d.y * mi_slope(v.y));
    }
}
extern "C" void mish_back(const __nv_bfloat16* g, const __nv_bfloat16* x, __nv_bfloat16* out, int n, cudaStream_t stream) {
    mi_pairs<<<1056, 256, 0, stream>>>((const __nv_bfloat162*)g, (const __nv_bfloat162*)x, (__nv_bfloat162*)out, n / 2);
}
