// kernelwright: task=../../tasks/add_layernorm_half.py entry=add_ln args="x, res, gamma, beta, out, x.shape[0], x.shape[1]"
// a warp a row of 2048, 32 pairs a lane in registers
#include <cuda_fp16.h>

__global__ void __launch_bounds__(128) al_warp(const __half2* __restrict__ x, const __half2* __restrict__ res, const __half2* __restrict__ gamma, const __half2* __restrict__ beta, __half2* __restrict__ out, int rows) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    size_t base = (size_t)row * 1024;
    float2 h[32];
    float v = 0.f;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        float2 a = __half22float2(x[base + i * 32 + lane]), b = __half22float2(res[base + i * 32 + lane]);
        h[i] = make_float2(a.x + b.x, a.y + b.y);
        v += h[i].x + h[i].y;
    }
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    float mean = v * (1.f / 2048.f);
    v = 0.f;
#pragma unroll
    for (int i = 0; i < 32; ++i) v += (h[i].x - mean) * (h[i].x - mean) + (h[i].y - mean) * (h[i].y - mean);
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    float inv = rsqrtf(v * (1.f / 2048.f) + 1e-5f);
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        float2 g = __half22float2(gamma[i * 32 + lane]), b = __half22float2(beta[i * 32 + lane]);
        out[base + i * 32 + lane] = __floats2half2_rn((h[i].x - mean) * inv * g.x + b.x, (h[i].y - mean) * inv * g.y + b.y);
    }
}
extern "C" void add_ln(const __half* x, const __half* res, const __half* gamma, const __half* beta, __half* out, int rows, int d, cudaStream_t stream) {
    al_warp<<<(rows + 3) / 4, 128, 0, stream>>>((const __half2*)x, (const __half2*)res, (const __half2*)gamma, (const __half2*)beta, (__half2*)out, rows);
}
