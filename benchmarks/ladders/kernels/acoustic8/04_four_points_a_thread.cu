// kernelwright: task=../../tasks/acoustic8.py entry=acoustic args="u, before, v, out, u.shape[0], u.shape[1], u.shape[2]"
// no shared memory: four points a thread by float4, the caches serve the neighbours
#include <cuda_runtime.h>

__device__ __forceinline__ float4 a4_fma(float c, float4 a, float4 b, float4 s) {
    return make_float4(s.x + c * (a.x + b.x), s.y + c * (a.y + b.y), s.z + c * (a.z + b.z), s.w + c * (a.w + b.w));
}
__global__ void __launch_bounds__(128) a4_four(const float4* __restrict__ u, const float4* __restrict__ before, const float4* __restrict__ v, float4* __restrict__ out, int nz, int ny, int nx4) {
    const float c[5] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    if (x >= nx4 || y >= ny) return;
    int plane = ny * nx4, i = z * plane + y * nx4 + x;
    float4 r = make_float4(0.f, 0.f, 0.f, 0.f);
    if (x >= 1 && y >= 4 && z >= 4 && x < nx4 - 1 && y < ny - 4 && z < nz - 4) {
        float4 l = u[i - 1], m = u[i], h = u[i + 1];
        float w[12] = {l.x, l.y, l.z, l.w, m.x, m.y, m.z, m.w, h.x, h.y, h.z, h.w}, e[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            e[k] = 3 * c[0] * w[4 + k];
#pragma unroll
            for (int d = 1; d <= 4; ++d) e[k] += c[d] * (w[4 + k - d] + w[4 + k + d]);
        }
        float4 lap = make_float4(e[0], e[1], e[2], e[3]);
#pragma unroll
        for (int d = 1; d <= 4; ++d) {
            lap = a4_fma(c[d], u[i - d * nx4], u[i + d * nx4], lap);
            lap = a4_fma(c[d], u[i - d * plane], u[i + d * plane], lap);
        }
        float4 b = __ldcs(before + i), f = __ldcs(v + i);
        r = make_float4(2 * m.x - b.x + f.x * lap.x, 2 * m.y - b.y + f.y * lap.y, 2 * m.z - b.z + f.z * lap.z, 2 * m.w - b.w + f.w * lap.w);
    }
    __stcs(out + i, r);
}
extern "C" void acoustic(const float* u, const float* before, const float* v, float* out, int nz, int ny, int nx, cudaStream_t stream) {
    a4_four<<<dim3((nx / 4 + 31) / 32, (ny + 3) / 4, nz), dim3(32, 4), 0, stream>>>((const float4*)u, (const float4*)before, (const float4*)v, (float4*)out, nz, ny, nx / 4);
}
