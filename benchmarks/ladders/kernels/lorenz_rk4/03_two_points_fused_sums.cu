// kernelwright: task=../../tasks/lorenz_rk4.py entry=lorenz args="p, out, p.shape[0]"
// two points a thread go through shared memory; the weighted sum gathered while the slopes are taken
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) lz_two(const float* __restrict__ p, float* __restrict__ out) {
    __shared__ float s[768];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 768;
#pragma unroll
    for (int i = 0; i < 6; ++i) s[t + i * 128] = p[base + t + i * 128];
    __syncthreads();
    const float h = 0.005f;
    float v[2][3];
#pragma unroll
    for (int q = 0; q < 6; ++q) v[q / 3][q % 3] = s[(q / 3 * 128 + t) * 3 + q % 3];
#pragma unroll 2
    for (int k = 0; k < 64; ++k)
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            float x = v[q][0], y = v[q][1], z = v[q][2], sx = x, sy = y, sz = z;
#pragma unroll
            for (int stage = 0; stage < 4; ++stage) {
                float dx = 10.f * (y - x), dy = x * (28.f - z) - y, dz = x * y - z * (8.f / 3.f);
                float weight = stage == 0 || stage == 3 ? h / 6.f : h / 3.f, ahead = stage == 2 ? h : 0.5f * h;
                sx += weight * dx;
                sy += weight * dy;
                sz += weight * dz;
                x = v[q][0] + ahead * dx;
                y = v[q][1] + ahead * dy;
                z = v[q][2] + ahead * dz;
            }
            v[q][0] = sx;
            v[q][1] = sy;
            v[q][2] = sz;
        }
#pragma unroll
    for (int q = 0; q < 6; ++q) s[(q / 3 * 128 + t) * 3 + q % 3] = v[q / 3][q % 3];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 6; ++i) out[base + t + i * 128] = s[t + i * 128];
}
extern "C" void lorenz(const float* p, float* out, int n, cudaStream_t stream) {
    lz_two<<<n / 256, 128, 0, stream>>>(p, out);
}
