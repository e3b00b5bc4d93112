// kernelwright: task=../../tasks/dot_interaction_half.py entry=interact args="x, out, x.shape[0]"
// a warp a sample: three tiles of 16 x 16 by wmma, operands from global memory, results through shared memory
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) di_wmma(const __half* __restrict__ x, __half* __restrict__ out, int n) {
    __shared__ __align__(32) float s[4][32][36];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, at = blockIdx.x * 4 + w;
    if (at >= n) return;
    const __half* p = x + (size_t)at * 4096;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a0, a1;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b0, b1;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c00, c10, c11;
    wmma::fill_fragment(c00, 0.f);
    wmma::fill_fragment(c10, 0.f);
    wmma::fill_fragment(c11, 0.f);
#pragma unroll
    for (int k = 0; k < 128; k += 16) {
        wmma::load_matrix_sync(a0, p + k, 128);
        wmma::load_matrix_sync(a1, p + 2048 + k, 128);
        wmma::load_matrix_sync(b0, p + k, 128);
        wmma::load_matrix_sync(b1, p + 2048 + k, 128);
        wmma::mma_sync(c00, a0, b0, c00);
        wmma::mma_sync(c10, a1, b0, c10);
        wmma::mma_sync(c11, a1, b1, c11);
    }
    wmma::store_matrix_sync(&s[w][0][0], c00, 36, wmma::mem_row_major);
    wmma::store_matrix_sync(&s[w][16][0], c10, 36, wmma::mem_row_major);
    wmma::store_matrix_sync(&s[w][16][16], c11, 36, wmma::mem_row_major);
    __syncwarp();
    for (int r = 1; r < 32; ++r)
        if (lane < r) out[(size_t)at * 496 + r * (r - 1) / 2 + lane] = __float2half(s[w][r][lane]);
}
extern "C" void interact(const __half* x, __half* out, int n, cudaStream_t stream) {
    di_wmma<<<(n + 3) / 4, 128, 0, stream>>>(x, out, n);
}
