// kernelwright: task=../../tasks/w4_gemm.py entry=w4gemm args="x, q, scale, out, x.shape[0], q.shape[0], x.shape[1]"
// halves made by bit patterns of 1024 + v, the next slice fetched while tensor cores work: copies and registers
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

__device__ __forceinline__ __half2 w4_pair(unsigned v) {
    unsigned bits = (v & 15u) | (v << 12 & 0xf0000u) | 0x64006400u, offset = 0x64086408u;
    return __hsub2(*(__half2*)&bits, *(__half2*)&offset);
}
__global__ void __launch_bounds__(128) w4_async(const __half* __restrict__ x, const int* __restrict__ q, const float* __restrict__ scale, __half* __restrict__ out, int n, int k) {
    __shared__ __align__(32) __half xs[2][64][72], ws[2][64][72];
    int t = threadIdx.x, w = t / 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, wr = w / 2 * 32, wc = w % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    unsigned packed[4];
    auto fetch = [&](int k0, int to) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            int r = (t + j * 128) / 8, c = t % 8;
            __pipeline_memcpy_async(&xs[to][r][c * 8], &x[(size_t)(m0 + r) * k + k0 + c * 8], 16);
            packed[j] = (unsigned)q[(size_t)(n0 + r) * (k / 8) + k0 / 8 + c];
        }
        __pipeline_commit();
    };
    auto unpack = [&](int to) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            uint4 u;
            __half2* h = (__half2*)&u;
#pragma unroll
            for (int i = 0; i < 4; ++i) h[i] = w4_pair(packed[j] >> (8 * i));
            *(uint4*)&ws[to][(t + j * 128) / 8][t % 8 * 8] = u;
        }
    };
    fetch(0, 0);
    unpack(0);
    for (int k0 = 0, at = 0; k0 < k; k0 += 64, at ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        bool more = k0 + 64 < k;
        if (more) fetch(k0 + 64, at ^ 1);
#pragma unroll
        for (int p = 0; p < 64; p += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &xs[at][wr + i * 16][p], 72);
                wmma::load_matrix_sync(fb[i], &ws[at][wc + i * 16][p], 72);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        if (more) unpack(at ^ 1);
    }
    __syncthreads();
    float(*cs)[68] = (float(*)[68])xs;
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::store_matrix_sync(&cs[wr + i / 2 * 16][wc + i % 2 * 16], acc[i / 2][i % 2], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 2048; i += 128) {
        int r = i / 32, c = i % 32 * 2;
        *(__half2*)&out[(size_t)(m0 + r) * n + n0 + c] = __floats2half2_rn(cs[r][c] * scale[n0 + c], cs[r][c + 1] * scale[n0 + c + 1]);
    }
}
extern "C" void w4gemm(const __half* x, const int* q, const float* scale, __half* out, int m, int n, int k, cudaStream_t stream) {
    w4_async<<<dim3(n / 64, m / 64), 128, 0, stream>>>(x, q, scale, out, n, k);
}
