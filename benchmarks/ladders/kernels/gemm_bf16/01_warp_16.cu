// kernelwright: task=../../tasks/gemm_bf16.py entry=gemm_bf16 args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// a warp a tile of 16 x 16, straight from global memory
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void gb_warp(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int n, int k) {
    int r = (blockIdx.y * blockDim.y + threadIdx.y) * 16, c = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + (size_t)r * k + k0, k);
        wmma::load_matrix_sync(fb, b + (size_t)c * k + k0, k);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + (size_t)r * n + c, acc, n, wmma::mem_row_major);
}
extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int m, int n, int k, cudaStream_t stream) {
    gb_warp<<<dim3(n / 32, m / 32), dim3(64, 2), 0, stream>>>(a, b, out, n, k);
}
