// kernelwright: task=../../tasks/lorenz_rk4.py entry=lorenz args="p, out, p.shape[0]"
// one launch, the point stays in registers
#include <cuda_runtime.h>

__device__ __forceinline__ float3 lz_slope(float3 s) {
    return make_float3(10.f * (s.y - s.x), s.x * (28.f - s.z) - s.y, s.x * s.y - s.z * (8.f / 3.f));
}
__device__ __forceinline__ float3 lz_along(float3 s, float3 d, float h) {
    return make_float3(s.x + h * d.x, s.y + h * d.y, s.z + h * d.z);
}
__global__ void __launch_bounds__(256) lz_all(const float* __restrict__ p, float* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const float h = 0.005f;
    float3 s = make_float3(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    for (int k = 0; k < 64; ++k) {
        float3 a = lz_slope(s), b = lz_slope(lz_along(s, a, 0.5f * h)), c = lz_slope(lz_along(s, b, 0.5f * h)), d = lz_slope(lz_along(s, c, h));
        s.x += h / 6.f * (a.x + 2.f * b.x + 2.f * c.x + d.x);
        s.y += h / 6.f * (a.y + 2.f * b.y + 2.f * c.y + d.y);
        s.z += h / 6.f * (a.z + 2.f * b.z + 2.f * c.z + d.z);
    }
    out[3 * i] = s.x;
    out[3 * i + 1] = s.y;
    out[3 * i + 2] = s.z;
}
extern "C" void lorenz(const float* p, float* out, int n, cudaStream_t stream) {
    lz_all<<<(n + 255) / 256, 256, 0, stream>>>(p, out, n);
}
