// kernelwright: task=../../tasks/w4_gemm.py entry=w4gemm args="x, q, scale, out, x.shape[0], q.shape[0], x.shape[1]"
// weights unpacked to halves in shared memory, four warps of tensor cores a tile of 64 x 64
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) w4_wmma(const __half* __restrict__ x, const int* __restrict__ q, const float* __restrict__ scale, __half* __restrict__ out, int n, int k) {
    __shared__ __align__(32) __half xs[64][72], ws[64][72];
    __shared__ __align__(32) float cs[64][68];
    int t = threadIdx.x, w = t / 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, wr = w / 2 * 32, wc = w % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    for (int k0 = 0; k0 < k; k0 += 64) {
#pragma unroll
        for (int i = t; i < 512; i += 128) {
            int r = i / 8, c = i % 8;
            *(uint4*)&xs[r][c * 8] = *(const uint4*)&x[(size_t)(m0 + r) * k + k0 + c * 8];
            int v = q[(size_t)(n0 + r) * (k / 8) + k0 / 8 + c];
            uint4 u;
            __half2* h = (__half2*)&u;
#pragma unroll
            for (int j = 0; j < 4; ++j) h[j] = __halves2half2(__int2half_rn((v >> (8 * j) & 15) - 8), __int2half_rn((v >> (8 * j + 4) & 15) - 8));
            *(uint4*)&ws[r][c * 8] = u;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 64; p += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &xs[wr + i * 16][p], 72);
                wmma::load_matrix_sync(fb[i], &ws[wc + i * 16][p], 72);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::store_matrix_sync(&cs[wr + i / 2 * 16][wc + i % 2 * 16], acc[i / 2][i % 2], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 4096; i += 128) out[(size_t)(m0 + i / 64) * n + n0 + i % 64] = __float2half(cs[i / 64][i % 64] * scale[n0 + i % 64]);
}
extern "C" void w4gemm(const __half* x, const int* q, const float* scale, __half* out, int m, int n, int k, cudaStream_t stream) {
    w4_wmma<<<dim3(n / 64, m / 64), 128, 0, stream>>>(x, q, scale, out, n, k);
}
