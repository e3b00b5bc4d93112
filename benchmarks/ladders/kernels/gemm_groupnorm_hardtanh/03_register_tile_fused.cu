// kernelwright: task=../../tasks/gemm_groupnorm_hardtanh.py entry=forward args="x, weight, bias, gamma, beta, out, x.shape[0], x.shape[1], weight.shape[0]"
// 64 x 64 tile, 4 x 4 a thread; a tile's columns are one group, so the norm happens in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fused_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                                                    const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ out,
                                                    int K, int N) {
    __shared__ float xs[16][68];
    __shared__ float ws[16][68];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float* xb = x + (size_t)blockIdx.y * 64 * K;
    const float* wb = w + (size_t)blockIdx.x * 64 * K;
    float acc[4][4] = {};
    int lr = t / 4, lk = t % 4 * 4;
    for (int k0 = 0; k0 < K; k0 += 16) {
        float4 u = *(const float4*)&xb[lr * K + k0 + lk];
        float4 v = *(const float4*)&wb[lr * K + k0 + lk];
        xs[lk][lr] = u.x; xs[lk + 1][lr] = u.y; xs[lk + 2][lr] = u.z; xs[lk + 3][lr] = u.w;
        ws[lk][lr] = v.x; ws[lk + 1][lr] = v.y; ws[lk + 2][lr] = v.z; ws[lk + 3][lr] = v.w;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float4 a = *(const float4*)&xs[k][ty * 4];
            float4 b = *(const float4*)&ws[k][tx * 4];
            float ar[4] = {a.x, a.y, a.z, a.w}, br[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += ar[i] * br[j];
        }
        __syncthreads();
    }
    int c = blockIdx.x * 64 + tx * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float s = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) { acc[i][j] += bias[c + j]; s += acc[i][j]; }
        for (int o = 8; o; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
        float mean = s / 64.f, q = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) { acc[i][j] -= mean; q += acc[i][j] * acc[i][j]; }
        for (int o = 8; o; o /= 2) q += __shfl_xor_sync(0xffffffff, q, o);
        float inv = rsqrtf(q / 64.f + 1e-5f);
        float* row = out + (size_t)(blockIdx.y * 64 + ty * 4 + i) * N + c;
#pragma unroll
        for (int j = 0; j < 4; ++j) row[j] = fminf(fmaxf(acc[i][j] * inv * gamma[c + j] + beta[c + j], -2.f), 2.f);
    }
}

extern "C" void forward(const float* x, const float* weight, const float* bias, const float* gamma, const float* beta, float* out, int M, int K, int N, cudaStream_t stream) {
    fused_kernel<<<dim3(N / 64, M / 64), 256, 0, stream>>>(x, weight, bias, gamma, beta, out, K, N);
}
