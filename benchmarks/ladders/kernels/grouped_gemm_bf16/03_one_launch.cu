// kernelwright: task=../../tasks/grouped_gemm_bf16.py entry=grouped_gemm args="x, w, start, out, x.shape[0], w.shape[0], w.shape[1], x.shape[1]"
// all experts in one launch, the third dimension of the grid
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) gg_all(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w, const int* __restrict__ start, __nv_bfloat16* __restrict__ out, int n, int k) {
    __shared__ __align__(32) __nv_bfloat16 xs[64][40], ws[64][40];
    __shared__ __align__(32) float cs[64][68];
    int e = blockIdx.z;
    int end = start[e + 1], row0 = start[e] + blockIdx.y * 64, n0 = blockIdx.x * 64, t = threadIdx.x, wr = t / 64 * 32, wc = t / 32 % 2 * 32;
    if (row0 >= end) return;
    w += (size_t)e * n * k;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            *(uint4*)&xs[r][c] = row0 + r < end ? *(const uint4*)&x[(size_t)(row0 + r) * k + k0 + c] : make_uint4(0, 0, 0, 0);
            *(uint4*)&ws[r][c] = *(const uint4*)&w[(size_t)(n0 + r) * k + k0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 32; p += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &xs[wr + i * 16][p], 40);
                wmma::load_matrix_sync(fb[i], &ws[wc + i * 16][p], 40);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::store_matrix_sync(&cs[wr + i / 2 * 16][wc + i % 2 * 16], acc[i / 2][i % 2], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 2048; i += 128) {
        int r = i / 32, c = i % 32 * 2;
        if (row0 + r < end) *(__nv_bfloat162*)&out[(size_t)(row0 + r) * n + n0 + c] = __floats2bfloat162_rn(cs[r][c], cs[r][c + 1]);
    }
}
extern "C" void grouped_gemm(const __nv_bfloat16* x, const __nv_bfloat16* w, const int* start, __nv_bfloat16* out, int rows, int experts, int n, int k, cudaStream_t stream) {
    gg_all<<<dim3(n / 64, (rows + 63) / 64, experts), 128, 0, stream>>>(x, w, start, out, n, k);
}
