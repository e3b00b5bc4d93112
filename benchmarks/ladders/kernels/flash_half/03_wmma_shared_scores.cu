// kernelwright: task=../../tasks/flash_half.py entry=flash args="q, k, v, out, q.shape[0], q.shape[1]"
// tiles of 64 x 64 by WMMA, scores and output in shared memory
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

struct __align__(32) FhShared {
    __half q[64][72], k[64][72], v[64][72], p[64][72];
    float s[64][68], o[64][68];
};
__global__ void __launch_bounds__(128) fh_wmma(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, __half* __restrict__ out, int s) {
    extern __shared__ __align__(32) unsigned char raw[];
    FhShared& h = *(FhShared*)raw;
    int t = threadIdx.x, w = t / 32, r0 = w * 16, row = t / 2, side = t % 2 * 32;
    size_t base = (size_t)blockIdx.y * s * 64, mine = base + (size_t)blockIdx.x * 4096;
    for (int i = t; i < 512; i += 128) *(uint4*)&h.q[i / 8][i % 8 * 8] = *(const uint4*)&q[mine + i * 8];
    for (int i = 0; i < 32; ++i) h.o[row][side + i] = 0.f;
    float top = -1e30f, sum = 0.f;
    for (int j0 = 0; j0 < s; j0 += 64) {
        __syncthreads();
        for (int i = t; i < 512; i += 128) {
            *(uint4*)&h.k[i / 8][i % 8 * 8] = *(const uint4*)&k[base + (size_t)j0 * 64 + i * 8];
            *(uint4*)&h.v[i / 8][i % 8 * 8] = *(const uint4*)&v[base + (size_t)j0 * 64 + i * 8];
        }
        __syncthreads();
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
#pragma unroll
        for (int n = 0; n < 4; ++n) wmma::fill_fragment(acc[n], 0.f);
#pragma unroll
        for (int d = 0; d < 4; ++d) {
            wmma::load_matrix_sync(fa, &h.q[r0][d * 16], 72);
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
                wmma::load_matrix_sync(fb, &h.k[n * 16][d * 16], 72);
                wmma::mma_sync(acc[n], fa, fb, acc[n]);
            }
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) wmma::store_matrix_sync(&h.s[r0][n * 16], acc[n], 68, wmma::mem_row_major);
        __syncwarp();
        float m = top;
#pragma unroll 8
        for (int i = 0; i < 32; ++i) m = fmaxf(m, h.s[row][side + i] * 0.125f);
        m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
        float c = __expf(top - m), part = 0.f;
#pragma unroll 8
        for (int i = 0; i < 32; ++i) {
            float p = __expf(h.s[row][side + i] * 0.125f - m);
            part += p;
            h.p[row][side + i] = __float2half(p);
            h.o[row][side + i] *= c;
        }
        part += __shfl_xor_sync(~0u, part, 1);
        sum = sum * c + part;
        top = m;
        __syncwarp();
#pragma unroll
        for (int n = 0; n < 4; ++n) wmma::load_matrix_sync(acc[n], &h.o[r0][n * 16], 68, wmma::mem_row_major);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::load_matrix_sync(fa, &h.p[r0][j * 16], 72);
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
                wmma::load_matrix_sync(fb, &h.v[j * 16][n * 16], 72);
                wmma::mma_sync(acc[n], fa, fb, acc[n]);
            }
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) wmma::store_matrix_sync(&h.o[r0][n * 16], acc[n], 68, wmma::mem_row_major);
        __syncwarp();
    }
    float scale = 1.f / sum;
    for (int i = 0; i < 32; ++i) h.p[row][side + i] = __float2half(h.o[row][side + i] * scale);
    __syncthreads();
    for (int i = t; i < 512; i += 128) *(uint4*)&out[mine + i * 8] = *(uint4*)&h.p[i / 8][i % 8 * 8];
}
extern "C" void flash(const __half* q, const __half* k, const __half* v, __half* out, int bh, int s, cudaStream_t stream) {
    cudaFuncSetAttribute(fh_wmma, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(FhShared));
    fh_wmma<<<dim3(s / 64, bh), 128, sizeof(FhShared), stream>>>(q, k, v, out, s);
}
