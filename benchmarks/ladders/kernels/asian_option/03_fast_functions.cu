// kernelwright: task=../../tasks/asian_option.py entry=asian args="start, out, start.shape[0]"
// logarithm, sine, cosine and exponential by the special function unit
#include <cuda_runtime.h>

__device__ __forceinline__ uint4 ao_philox(unsigned step, unsigned path) {
    uint4 c = make_uint4(step, path, 0, 0);
    unsigned k0 = 20240607u, k1 = 0;
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        unsigned h0 = __umulhi(c.x, 0xD2511F53u), l0 = c.x * 0xD2511F53u, h1 = __umulhi(c.z, 0xCD9E8D57u), l1 = c.z * 0xCD9E8D57u;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}
__device__ __forceinline__ float2 ao_pair(unsigned a, unsigned b) {
    float r = __fsqrt_rn(-2.f * __logf(a * 2.3283064e-10f + 1.1641532e-10f)), s, c;
    __sincosf(6.2831853f * (b * 2.3283064e-10f + 1.1641532e-10f), &s, &c);
    return make_float2(r * c, r * s);
}
__global__ void __launch_bounds__(256) ao_fast(const float* __restrict__ start, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float s = start[i], sum = 0.f;
#pragma unroll 4
    for (int q = 0; q < 16; ++q) {
        uint4 c = ao_philox(q, i);
        float2 a = ao_pair(c.x, c.y), b = ao_pair(c.z, c.w);
        sum += s *= __expf(0.0002f + 0.025f * a.x);
        sum += s *= __expf(0.0002f + 0.025f * a.y);
        sum += s *= __expf(0.0002f + 0.025f * b.x);
        sum += s *= __expf(0.0002f + 0.025f * b.y);
    }
    out[i] = fmaxf(sum * (1.f / 64) - 100.f, 0.f);
}
extern "C" void asian(const float* start, float* out, int n, cudaStream_t stream) {
    ao_fast<<<(n + 255) / 256, 256, 0, stream>>>(start, out, n);
}
