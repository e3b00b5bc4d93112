// kernelwright: task=../../tasks/splitk_bf16.py entry=splitk args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// a warp a tile of 16 x 16, fragments straight from global memory
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) sk_warp(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int n, int k) {
    int c0 = (blockIdx.x * 4 + threadIdx.x / 32) * 16, r0 = blockIdx.y * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
    wmma::fill_fragment(acc, 0.f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + (size_t)r0 * k + i, k);
        wmma::load_matrix_sync(fb, b + (size_t)i * n + c0, n);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + (size_t)r0 * n + c0, acc, n, wmma::mem_row_major);
}
extern "C" void splitk(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int m, int n, int k, cudaStream_t stream) {
    sk_warp<<<dim3(n / 64, m / 16), 128, 0, stream>>>(a, b, out, n, k);
}
