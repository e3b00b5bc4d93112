// kernelwright: task=../../tasks/lorenz_rk4.py entry=lorenz args="p, out, p.shape[0]"
// a launch a step, the points go to memory between
#include <cuda_runtime.h>

__device__ float3 lz_slope(float3 s) {
    return make_float3(10.f * (s.y - s.x), s.x * (28.f - s.z) - s.y, s.x * s.y - s.z * (8.f / 3.f));
}
__device__ float3 lz_along(float3 s, float3 d, float h) {
    return make_float3(s.x + h * d.x, s.y + h * d.y, s.z + h * d.z);
}
__global__ void lz_step(const float* from, float* to, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const float h = 0.005f;
    float3 s = make_float3(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
    float3 a = lz_slope(s), b = lz_slope(lz_along(s, a, 0.5f * h)), c = lz_slope(lz_along(s, b, 0.5f * h)), d = lz_slope(lz_along(s, c, h));
    to[3 * i] = s.x + h / 6.f * (a.x + 2.f * b.x + 2.f * c.x + d.x);
    to[3 * i + 1] = s.y + h / 6.f * (a.y + 2.f * b.y + 2.f * c.y + d.y);
    to[3 * i + 2] = s.z + h / 6.f * (a.z + 2.f * b.z + 2.f * c.z + d.z);
}
extern "C" void lorenz(const float* p, float* out, int n, cudaStream_t stream) {
    for (int k = 0; k < 64; ++k) lz_step<<<(n + 255) / 256, 256, 0, stream>>>(k ? out : p, out, n);
}
