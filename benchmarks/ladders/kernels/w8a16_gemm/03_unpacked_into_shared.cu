// kernelwright: task=../../tasks/w8a16_gemm.py entry=w8a16 args="x, q, scale, out, q.shape[0], q.shape[1]"
// weights become halves on their way into shared memory, 64 x 32 outputs a block, the next tiles in registers meanwhile
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) wf_gemm(const __half* __restrict__ x, const signed char* __restrict__ q, const float* __restrict__ scale, __half* __restrict__ out, int n, int k) {
    __shared__ __align__(32) __half xs[64][72], ws[32][72];
    __shared__ __align__(32) float cs[64][36];
    int t = threadIdx.x, w = t / 32, n0 = blockIdx.x * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
    wmma::fill_fragment(acc[0], 0.f);
    wmma::fill_fragment(acc[1], 0.f);
    uint4 nx[4], nq;
    auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) nx[i] = *(const uint4*)&x[(size_t)((i * 128 + t) / 8) * k + k0 + t % 8 * 8];
        nq = *(const uint4*)&q[(size_t)(n0 + t / 4) * k + k0 + t % 4 * 16];
    };
    load(0);
    for (int k0 = 0; k0 < k; k0 += 64) {
#pragma unroll
        for (int i = 0; i < 4; ++i) *(uint4*)&xs[(i * 128 + t) / 8][t % 8 * 8] = nx[i];
        const signed char* b = (const signed char*)&nq;
#pragma unroll
        for (int i = 0; i < 8; ++i) *(__half2*)&ws[t / 4][t % 4 * 16 + i * 2] = __halves2half2(__short2half_rn(b[i * 2]), __short2half_rn(b[i * 2 + 1]));
        __syncthreads();
        if (k0 + 64 < k) load(k0 + 64);
#pragma unroll
        for (int p = 0; p < 64; p += 16) {
            wmma::load_matrix_sync(fa, &xs[w * 16][p], 72);
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                wmma::load_matrix_sync(fb, &ws[j * 16][p], 72);
                wmma::mma_sync(acc[j], fa, fb, acc[j]);
            }
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(&cs[w * 16][0], acc[0], 36, wmma::mem_row_major);
    wmma::store_matrix_sync(&cs[w * 16][16], acc[1], 36, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 2048; i += 128) out[(size_t)(i / 32) * n + n0 + i % 32] = __float2half(cs[i / 32][i % 32] * scale[n0 + i % 32]);
}
extern "C" void w8a16(const __half* x, const signed char* q, const float* scale, __half* out, int n, int k, cudaStream_t stream) {
    wf_gemm<<<n / 32, 128, 0, stream>>>(x, q, scale, out, n, k);
}
