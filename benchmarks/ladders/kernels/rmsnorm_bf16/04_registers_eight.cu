// kernelwright: task=../../tasks/rmsnorm_bf16.py entry=rmsnorm_bf16 args="x, weight, out, x.shape[0], x.shape[1]"
// a block of 512 a row of 4096, eight elements a thread kept in registers
#include <cuda_bf16.h>

__global__ void __launch_bounds__(512) rn_eight(const uint4* x, const uint4* w, uint4* out, int d8) {
    __shared__ float s[16];
    uint4 v = x[(size_t)blockIdx.x * d8 + threadIdx.x];
    const __nv_bfloat162* h = (const __nv_bfloat162*)&v;
    float f[8], q = 0.f;
#pragma unroll
    for (int j = 0; j < 4; ++j) { float2 p = __bfloat1622float2(h[j]); f[2 * j] = p.x; f[2 * j + 1] = p.y; q += p.x * p.x + p.y * p.y; }
    for (int o = 16; o; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = q;
    __syncthreads();
    q = s[threadIdx.x % 16];
    for (int o = 8; o; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    float r = rsqrtf(q / (8 * d8) + 1e-6f);
    uint4 u = w[threadIdx.x];
    const __nv_bfloat162* g = (const __nv_bfloat162*)&u;
    __nv_bfloat162* y = (__nv_bfloat162*)&v;
#pragma unroll
    for (int j = 0; j < 4; ++j) { float2 p = __bfloat1622float2(g[j]); y[j] = __floats2bfloat162_rn(f[2 * j] * r * p.x, f[2 * j + 1] * r * p.y); }
    out[(size_t)blockIdx.x * d8 + threadIdx.x] = v;
}
extern "C" void rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, int rows, int d, cudaStream_t stream) {
    rn_eight<<<rows, 512, 0, stream>>>((const uint4*)x, (const uint4*)weight, (uint4*)out, d / 8);
}
