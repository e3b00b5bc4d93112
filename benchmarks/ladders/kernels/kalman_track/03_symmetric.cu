// kernelwright: task=../../tasks/kalman_track.py entry=kalman args="z, noise, out, z.shape[0], z.shape[1]"
// ten entries of the symmetric covariance, the ones and zeros of the transition written out
#include <cuda_runtime.h>

struct Track { float x, y, u, v, a, b, c, d, e, f, g, h, i, j; };
__device__ __forceinline__ void kf_step(Track& s, float2 m, float r) {
    const float t = 0.1f;
    s.x += t * s.u;
    s.y += t * s.v;
    s.a += t * (2 * s.c + t * s.h) + 0.01f;
    s.b += t * (s.f + s.d + t * s.i);
    s.c += t * s.h;
    s.d += t * s.i;
    s.e += t * (2 * s.g + t * s.j) + 0.01f;
    s.f += t * s.i;
    s.g += t * s.j;
    s.h += 0.01f;
    s.j += 0.01f;
    float s00 = s.a + r, s11 = s.e + r, inv = __fdividef(1.f, s00 * s11 - s.b * s.b), e0 = m.x - s.x, e1 = m.y - s.y;
    float w0 = (s11 * e0 - s.b * e1) * inv, w1 = (s00 * e1 - s.b * e0) * inv;
    s.x += s.a * w0 + s.b * w1;
    s.y += s.b * w0 + s.e * w1;
    s.u += s.c * w0 + s.f * w1;
    s.v += s.d * w0 + s.g * w1;
    float k00 = (s.a * s11 - s.b * s.b) * inv, k01 = (s.b * s00 - s.a * s.b) * inv, k10 = (s.b * s11 - s.e * s.b) * inv, k11 = (s.e * s00 - s.b * s.b) * inv;
    float k20 = (s.c * s11 - s.f * s.b) * inv, k21 = (s.f * s00 - s.c * s.b) * inv, k30 = (s.d * s11 - s.g * s.b) * inv, k31 = (s.g * s00 - s.d * s.b) * inv;
    s.h -= k20 * s.c + k21 * s.f;
    s.i -= k20 * s.d + k21 * s.g;
    s.j -= k30 * s.d + k31 * s.g;
    float c = s.c - k00 * s.c - k01 * s.f, d = s.d - k00 * s.d - k01 * s.g, f = s.f - k10 * s.c - k11 * s.f, g = s.g - k10 * s.d - k11 * s.g;
    float a = s.a - k00 * s.a - k01 * s.b, b = s.b - k00 * s.b - k01 * s.e, e = s.e - k10 * s.b - k11 * s.e;
    s.a = a, s.b = b, s.c = c, s.d = d, s.e = e, s.f = f, s.g = g;
}
__global__ void __launch_bounds__(128) kf_symmetric(const float4* __restrict__ z, const float* __restrict__ noise, float4* __restrict__ out, int n, int steps) {
    int k = blockIdx.x * 128 + threadIdx.x;
    if (k >= n) return;
    float r = noise[k];
    Track s = {};
    s.a = s.e = s.h = s.j = 1.f;
    const float4* mine = z + k * (steps / 2);
    float4 next = mine[0];
    for (int t = 0; t < steps / 2; ++t) {
        float4 m = next;
        if (t + 1 < steps / 2) next = mine[t + 1];
        kf_step(s, make_float2(m.x, m.y), r);
        kf_step(s, make_float2(m.z, m.w), r);
    }
    out[k] = make_float4(s.x, s.y, s.u, s.v);
}
extern "C" void kalman(const float* z, const float* noise, float* out, int n, int steps, cudaStream_t stream) {
    kf_symmetric<<<(n + 127) / 128, 128, 0, stream>>>((const float4*)z, noise, (float4*)out, n, steps);
}
