// kernelwright: task=../../tasks/skinny_half.py entry=skinny_half args="a, w, out, w.shape[0], w.shape[1]"
// a warp sixteen columns on tensor cores, operands from global memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void sk_wmma(const __half* a, const __half* w, float* out, int n, int k) {
    int c = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
    if (c >= n) return;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int i = 0; i < k; i += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + i, k);
        wmma::load_matrix_sync(fb, w + (size_t)c * k + i, k);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + c, acc, n, wmma::mem_row_major);
}
extern "C" void skinny_half(const __half* a, const __half* w, float* out, int n, int k, cudaStream_t stream) {
    sk_wmma<<<n / 16 / 4, 128, 0, stream>>>(a, w, out, n, k);
}
