// kernelwright: task=../../tasks/cgemm.py entry=cgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// 64 x 64 outputs a block, 4 x 4 a thread, pairs in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cg_four(const float2* __restrict__ a, const float2* __restrict__ b, float2* __restrict__ out, int n, int k) {
    __shared__ float2 as[16][65], bs[16][64];
    int t = threadIdx.x, tr = t / 16, tc = t % 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float2 acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = t; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(size_t)(r0 + i / 16) * k + k0 + i % 16];
            bs[i / 64][i % 64] = b[(size_t)(k0 + i / 64) * n + c0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            float2 x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                x[i] = as[p][tr + 16 * i];
                y[i] = bs[p][tc + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    acc[i][j].x += x[i].x * y[j].x - x[i].y * y[j].y;
                    acc[i][j].y += x[i].x * y[j].y + x[i].y * y[j].x;
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) out[(size_t)(r0 + tr + 16 * i) * n + c0 + tc + 16 * j] = acc[i][j];
}
extern "C" void cgemm(const float* a, const float* b, float* out, int m, int n, int k, cudaStream_t stream) {
    cg_four<<<dim3(n / 64, m / 64), 256, 0, stream>>>((const float2*)a, (const float2*)b, (float2*)out, n, k);
}
