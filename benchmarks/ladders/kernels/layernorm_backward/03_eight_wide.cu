// kernelwright: task=../../tasks/layernorm_backward.py entry=layernorm_backward args="dy, x, gamma, mean, rstd, out, x.shape[0], x.shape[1]"
// 192 threads a row, eight neighbours each by loads of 16 bytes
#include <cuda_bf16.h>

__device__ void unpack(uint4 u, float* f) {
    const __nv_bfloat162* h = (const __nv_bfloat162*)&u;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float2 v = __bfloat1622float2(h[k]);
        f[2 * k] = v.x;
        f[2 * k + 1] = v.y;
    }
}
__global__ void __launch_bounds__(192) lb_wide(const uint4* __restrict__ dy, const uint4* __restrict__ x, const float4* __restrict__ gamma, const float* mean, const float* rstd, uint4* __restrict__ out) {
    __shared__ float s1[6], s2[6];
    int t = threadIdx.x;
    size_t at = (size_t)blockIdx.x * 192 + t;
    float m = mean[blockIdx.x], r = rstd[blockIdx.x], a = 0.f, b = 0.f, g[8], hat[8], w[8];
    unpack(dy[at], g);
    unpack(x[at], hat);
    *(float4*)w = gamma[2 * t];
    *(float4*)(w + 4) = gamma[2 * t + 1];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        g[k] *= w[k];
        hat[k] = (hat[k] - m) * r;
        a += g[k];
        b += g[k] * hat[k];
    }
    for (int o = 16; o; o /= 2) {
        a += __shfl_xor_sync(~0u, a, o);
        b += __shfl_xor_sync(~0u, b, o);
    }
    if (t % 32 == 0) {
        s1[t / 32] = a;
        s2[t / 32] = b;
    }
    __syncthreads();
    a = b = 0.f;
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        a += s1[k];
        b += s2[k];
    }
    a /= 1536.f;
    b /= 1536.f;
    uint4 u;
    __nv_bfloat162* h = (__nv_bfloat162*)&u;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        h[k] = __floats2bfloat162_rn(r * (g[2 * k] - a - hat[2 * k] * b), r * (g[2 * k + 1] - a - hat[2 * k + 1] * b));
    out[at] = u;
}
extern "C" void layernorm_backward(const __nv_bfloat16* dy, const __nv_bfloat16* x, const float* gamma, const float* mean, const float* rstd, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
    lb_wide<<<rows, 192, 0, stream>>>((const uint4*)dy, (const uint4*)x, (const float4*)gamma, mean, rstd, (uint4*)out);
}
