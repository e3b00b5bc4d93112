// kernelwright: task=../../tasks/black_scholes.py entry=black_scholes args="price, strike, years, out, price.shape[0]"
// a polynomial and the special units, four options a thread
#include <cuda_runtime.h>

__device__ __forceinline__ float bs_cdf(float d) {
    float k = __fdividef(1.f, 1.f + 0.2316419f * fabsf(d));
    float p = 0.39894228f * __expf(-0.5f * d * d) * k *
              (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1.f - p : p;
}
__device__ __forceinline__ float2 bs_price(float s, float k, float t) {
    float root = 0.3f * __fsqrt_rn(t), d1 = __fdividef(__logf(__fdividef(s, k)) + 0.065f * t, root);
    float later = k * __expf(-0.02f * t), call = s * bs_cdf(d1) - later * bs_cdf(d1 - root);
    return make_float2(call, call + later - s);
}
__global__ void __launch_bounds__(256) bs_fast(const float4* __restrict__ price, const float4* __restrict__ strike, const float4* __restrict__ years, float4* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float4 s = price[i], k = strike[i], t = years[i];
    float2 a = bs_price(s.x, k.x, t.x), b = bs_price(s.y, k.y, t.y), c = bs_price(s.z, k.z, t.z), d = bs_price(s.w, k.w, t.w);
    out[i] = make_float4(a.x, b.x, c.x, d.x);
    out[n + i] = make_float4(a.y, b.y, c.y, d.y);
}
extern "C" void black_scholes(const float* price, const float* strike, const float* years, float* out, int n, cudaStream_t stream) {
    bs_fast<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)price, (const float4*)strike, (const float4*)years, (float4*)out, n / 4);
}
