// kernelwright: task=../../tasks/group_norm.py entry=group_norm args="x, out, x.shape[0] * 32, x.shape[1] * x.shape[2] // 32"
// a block of 256 a group of 4096, four float4 a thread kept in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gn_registers(const float4* __restrict__ x, float4* __restrict__ out, int d4) {
    __shared__ float ps[8], pq[8];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * d4;
    float4 v[4];
    float s = 0.f, q = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = t + i * 256 < d4 ? x[base + t + i * 256] : make_float4(0.f, 0.f, 0.f, 0.f);
        s += v[i].x + v[i].y + v[i].z + v[i].w;
        q += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    for (int o = 16; o; o /= 2) { s += __shfl_xor_sync(~0u, s, o); q += __shfl_xor_sync(~0u, q, o); }
    if (t % 32 == 0) { ps[t / 32] = s; pq[t / 32] = q; }
    __syncthreads();
    s = q = 0.f;
    for (int i = 0; i < 8; ++i) { s += ps[i]; q += pq[i]; }
    float m = s / (4 * d4), r = rsqrtf(q / (4 * d4) - m * m + 1e-5f);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (t + i * 256 < d4) out[base + t + i * 256] = make_float4((v[i].x - m) * r, (v[i].y - m) * r, (v[i].z - m) * r, (v[i].w - m) * r);
}
extern "C" void group_norm(const float* x, float* out, int groups, int d, cudaStream_t stream) {
    gn_registers<<<groups, 256, 0, stream>>>((const float4*)x, (float4*)out, d / 4);
}
