// kernelwright: task=../../tasks/wgrad_half.py entry=wgrad args="dy, x, out, dy.shape[0], dy.shape[1], x.shape[1]"
// one warp per 16x16 of dW over all rows, fragments from global memory (dy as a column-major A)
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void wgrad_kernel(const half* dy, const half* x, float* dw, int T, int O, int I) {
    int o0 = blockIdx.y * 16, i0 = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int t = 0; t < T; t += 16) {
        wmma::load_matrix_sync(a, dy + (size_t)t * O + o0, O);
        wmma::load_matrix_sync(b, x + (size_t)t * I + i0, I);
        wmma::mma_sync(acc, a, b, acc);
    }
    wmma::store_matrix_sync(dw + (size_t)o0 * I + i0, acc, I, wmma::mem_row_major);
}

extern "C" void wgrad(const half* dy, const half* x, float* out, int T, int O, int I, cudaStream_t stream) {
    wgrad_kernel<<<dim3(I / 16, O / 16), 32, 0, stream>>>(dy, x, out, T, O, I);
}
