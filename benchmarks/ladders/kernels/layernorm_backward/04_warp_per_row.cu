// kernelwright: task=../../tasks/layernorm_backward.py entry=layernorm_backward args="dy, x, gamma, mean, rstd, out, x.shape[0], x.shape[1]"
// a warp a row: six loads of 16 bytes a lane and array, no barrier
#include <cuda_bf16.h>

__global__ void __launch_bounds__(128) lb_warp(const uint4* __restrict__ dy, const uint4* __restrict__ x, const float4* __restrict__ gamma, const float* mean, const float* rstd, uint4* __restrict__ out, int rows) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    size_t at = (size_t)row * 192 + lane;
    float m = mean[row], r = rstd[row], a = 0.f, b = 0.f;
    uint4 d[6], v[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        d[i] = dy[at + 32 * i];
        v[i] = x[at + 32 * i];
    }
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        const __nv_bfloat162 *p = (const __nv_bfloat162*)&d[i], *q = (const __nv_bfloat162*)&v[i];
        float4 w[2] = {gamma[2 * (lane + 32 * i)], gamma[2 * (lane + 32 * i) + 1]};
        const float* wf = (const float*)w;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 g = __bfloat1622float2(p[k]), f = __bfloat1622float2(q[k]);
            g.x *= wf[2 * k];
            g.y *= wf[2 * k + 1];
            a += g.x + g.y;
            b += g.x * ((f.x - m) * r) + g.y * ((f.y - m) * r);
        }
    }
    for (int o = 16; o; o /= 2) {
        a += __shfl_xor_sync(~0u, a, o);
        b += __shfl_xor_sync(~0u, b, o);
    }
    a /= 1536.f;
    b /= 1536.f;
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        const __nv_bfloat162 *p = (const __nv_bfloat162*)&d[i], *q = (const __nv_bfloat162*)&v[i];
        float4 w[2] = {gamma[2 * (lane + 32 * i)], gamma[2 * (lane + 32 * i) + 1]};
        const float* wf = (const float*)w;
        uint4 u;
        __nv_bfloat162* h = (__nv_bfloat162*)&u;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 g = __bfloat1622float2(p[k]), f = __bfloat1622float2(q[k]);
            h[k] = __floats2bfloat162_rn(r * (g.x * wf[2 * k] - a - (f.x - m) * r * b), r * (g.y * wf[2 * k + 1] - a - (f.y - m) * r * b));
        }
        out[at + 32 * i] = u;
    }
}
extern "C" void layernorm_backward(const __nv_bfloat16* dy, const __nv_bfloat16* x, const float* gamma, const float* mean, const float* rstd, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
    lb_warp<<<(rows + 3) / 4, 128, 0, stream>>>((const uint4*)dy, (const uint4*)x, (const float4*)gamma, mean, rstd, (uint4*)out, rows);
}
