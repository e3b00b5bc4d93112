// kernelwright: task=../../tasks/group_norm.py entry=group_norm args="x, out, x.shape[0] * 32, x.shape[1] * x.shape[2] // 32"
// a block of 256 a group, sum and squares in one pass
#include <cuda_runtime.h>

__global__ void gn_block(const float* x, float* out, int d) {
    __shared__ float ps[8], pq[8];
    int t = threadIdx.x;
    const float* g = x + (size_t)blockIdx.x * d;
    float s = 0.f, q = 0.f;
    for (int i = t; i < d; i += 256) { float v = g[i]; s += v; q += v * v; }
    for (int o = 16; o; o /= 2) { s += __shfl_xor_sync(~0u, s, o); q += __shfl_xor_sync(~0u, q, o); }
    if (t % 32 == 0) { ps[t / 32] = s; pq[t / 32] = q; }
    __syncthreads();
    s = q = 0.f;
    for (int i = 0; i < 8; ++i) { s += ps[i]; q += pq[i]; }
    float m = s / d, r = rsqrtf(q / d - m * m + 1e-5f);
    for (int i = t; i < d; i += 256) out[(size_t)blockIdx.x * d + i] = (g[i] - m) * r;
}
extern "C" void group_norm(const float* x, float* out, int groups, int d, cudaStream_t stream) {
    gn_block<<<groups, 256, 0, stream>>>(x, out, d);
}
