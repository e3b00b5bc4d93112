// kernelwright: task=../../tasks/layernorm_weight_grad.py entry=weight_grad args="dy, x, mean, rstd, out, x.shape[0], x.shape[1]"
// a warp a row and a pair of columns a lane, eight warps added in shared memory, then the workspace
#include <cuda_fp16.h>

__device__ float lw_part8[64 * 2 * 2048];

__global__ void __launch_bounds__(256) lw_pairs(const __half2* __restrict__ dy, const __half2* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ rstd, int d) {
    __shared__ float ws[8][64], bs[8][64];
    int lane = threadIdx.x % 32, wp = threadIdx.x / 32, c = blockIdx.x * 32 + lane, r0 = blockIdx.y * 128;
    float w0 = 0.f, w1 = 0.f, b0 = 0.f, b1 = 0.f;
#pragma unroll 4
    for (int i = r0 + wp; i < r0 + 128; i += 8) {
        float2 g = __half22float2(dy[(size_t)i * (d / 2) + c]), v = __half22float2(x[(size_t)i * (d / 2) + c]);
        float m = mean[i], s = rstd[i];
        w0 += g.x * (v.x - m) * s;
        w1 += g.y * (v.y - m) * s;
        b0 += g.x;
        b1 += g.y;
    }
    *(float2*)&ws[wp][lane * 2] = make_float2(w0, w1);
    *(float2*)&bs[wp][lane * 2] = make_float2(b0, b1);
    __syncthreads();
    if (threadIdx.x < 128) {
        int k = threadIdx.x % 64;
        float(*from)[64] = threadIdx.x < 64 ? ws : bs;
        float s = 0.f;
#pragma unroll
        for (int i = 0; i < 8; ++i) s += from[i][k];
        lw_part8[(size_t)blockIdx.y * 2 * d + (threadIdx.x < 64 ? 0 : d) + blockIdx.x * 64 + k] = s;
    }
}
__global__ void __launch_bounds__(128) lw_sum8(float* __restrict__ out, int chunks, int d2) {
    int c = blockIdx.x * 128 + threadIdx.x;
    float s = 0.f;
#pragma unroll 8
    for (int i = 0; i < chunks; ++i) s += lw_part8[(size_t)i * d2 + c];
    out[c] = s;
}
extern "C" void weight_grad(const __half* dy, const __half* x, const float* mean, const float* rstd, float* out, int r, int d, cudaStream_t stream) {
    lw_pairs<<<dim3(d / 64, r / 128), 256, 0, stream>>>((const __half2*)dy, (const __half2*)x, mean, rstd, d);
    lw_sum8<<<2 * d / 128, 128, 0, stream>>>(out, r / 128, 2 * d);
}
