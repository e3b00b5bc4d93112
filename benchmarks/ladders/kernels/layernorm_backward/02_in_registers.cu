// kernelwright: task=../../tasks/layernorm_backward.py entry=layernorm_backward args="dy, x, gamma, mean, rstd, out, x.shape[0], x.shape[1]"
// six elements of a row of 1536 a thread, kept in registers; sums by shuffles
#include <cuda_bf16.h>

__global__ void lb_registers(const __nv_bfloat16* __restrict__ dy, const __nv_bfloat16* __restrict__ x, const float* __restrict__ gamma, const float* mean, const float* rstd, __nv_bfloat16* __restrict__ out) {
    __shared__ float s1[8], s2[8];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * 1536;
    float m = mean[blockIdx.x], r = rstd[blockIdx.x], a = 0.f, b = 0.f, g[6], hat[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) {
        int c = t + 256 * k;
        g[k] = __bfloat162float(dy[row + c]) * gamma[c];
        hat[k] = (__bfloat162float(x[row + c]) - m) * r;
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
    for (int k = 0; k < 8; ++k) {
        a += s1[k];
        b += s2[k];
    }
    a /= 1536.f;
    b /= 1536.f;
#pragma unroll
    for (int k = 0; k < 6; ++k) out[row + t + 256 * k] = __float2bfloat16(r * (g[k] - a - hat[k] * b));
}
extern "C" void layernorm_backward(const __nv_bfloat16* dy, const __nv_bfloat16* x, const float* gamma, const float* mean, const float* rstd, __nv_bfloat16* out, int rows, int cols, cudaStream_t stream) {
    lb_registers<<<rows, 256, 0, stream>>>(dy, x, gamma, mean, rstd, out);
}
