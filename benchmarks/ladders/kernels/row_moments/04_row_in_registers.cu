// kernelwright: task=../../tasks/row_moments.py entry=row_moments args="x, out, x.shape[0], x.shape[1]"
// a warp a row of 1024, which stays in 32 registers a lane between the passes
#include <cuda_runtime.h>

__device__ __forceinline__ float rm_all(float v) {
#pragma unroll
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__global__ void __launch_bounds__(128) rm_registers(const float4* __restrict__ x, float4* __restrict__ out, int rows) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float4 v[8];
    float sum = 0.f, m2 = 0.f, m3 = 0.f, m4 = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = __ldcs(&x[(size_t)r * 256 + k * 32 + lane]);
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    float mean = rm_all(sum) * (1.f / 1024.f);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float e[4] = {v[k].x, v[k].y, v[k].z, v[k].w};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float u = e[j] - mean, q = u * u;
            m2 += q;
            m3 += q * u;
            m4 += q * q;
        }
    }
    m2 = rm_all(m2) * (1.f / 1024.f);
    m3 = rm_all(m3) * (1.f / 1024.f);
    m4 = rm_all(m4) * (1.f / 1024.f);
    if (lane == 0) out[r] = make_float4(mean, m2, m3 * rsqrtf(m2) / m2, m4 / (m2 * m2));
}
extern "C" void row_moments(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    rm_registers<<<(rows + 3) / 4, 128, 0, stream>>>((const float4*)x, (float4*)out, rows);
}
