// kernelwright: task=../../tasks/gemm_bf16.py entry=gemm_bf16 args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// a warp a tile of 32 x 32, straight from global memory
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void gb_warp32(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int n, int k) {
    int r = (blockIdx.y * 2 + threadIdx.y) * 32, c = (blockIdx.x * 2 + threadIdx.x / 32) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb[2];
        for (int i = 0; i < 2; ++i) {
            wmma::load_matrix_sync(fa[i], a + (size_t)(r + 16 * i) * k + k0, k);
            wmma::load_matrix_sync(fb[i], b + (size_t)(c + 16 * i) * k + k0, k);
        }
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(out + (size_t)(r + 16 * i) * n + c + 16 * j, acc[i][j], n, wmma::mem_row_major);
}
extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int m, int n, int k, cudaStream_t stream) {
    gb_warp32<<<dim3(n / 64, m / 64), dim3(64, 2), 0, stream>>>(a, b, out, n, k);
}
