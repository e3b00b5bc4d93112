// kernelwright: task=../../tasks/causal_scores_bf16.py entry=causal_scores args="q, k, out, q.shape[0], q.shape[1]"
// 64 x 64 scores a block, tiles in shared memory; tiles after the diagonal are only filled with zeros
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) cs_tile(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int s) {
    __shared__ __align__(32) __nv_bfloat16 qs[64][72], ks[64][72];
    __shared__ __align__(32) float tile[64][68];
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    size_t head = (size_t)blockIdx.z * s;
    if (c0 > r0) {
        for (int i = t; i < 512; i += 128) *(uint4*)&out[(head + r0 + i / 8) * s + c0 + i % 8 * 8] = make_uint4(0, 0, 0, 0);
        return;
    }
    for (int i = t; i < 512; i += 128) {
        *(uint4*)&qs[i / 8][i % 8 * 8] = *(const uint4*)&q[(head + r0 + i / 8) * 64 + i % 8 * 8];
        *(uint4*)&ks[i / 8][i % 8 * 8] = *(const uint4*)&k[(head + c0 + i / 8) * 64 + i % 8 * 8];
    }
    __syncthreads();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0.f);
#pragma unroll
    for (int i = 0; i < 64; i += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, &qs[w * 16][i], 72);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
            wmma::load_matrix_sync(fb, &ks[j * 16][i], 72);
            wmma::mma_sync(acc[j], fa, fb, acc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(&tile[w * 16][j * 16], acc[j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 2048; i += 128) {
        int r = i / 32, c = i % 32 * 2;
        float u = c0 + c <= r0 + r ? tile[r][c] * 0.125f : 0.f, v = c0 + c + 1 <= r0 + r ? tile[r][c + 1] * 0.125f : 0.f;
        *(__nv_bfloat162*)&out[(head + r0 + r) * s + c0 + c] = __floats2bfloat162_rn(u, v);
    }
}
extern "C" void causal_scores(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int h, int s, cudaStream_t stream) {
    cs_tile<<<dim3(s / 64, s / 64, h), 128, 0, stream>>>(q, k, out, s);
}
