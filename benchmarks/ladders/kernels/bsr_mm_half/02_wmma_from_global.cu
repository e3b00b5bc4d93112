// kernelwright: task=../../tasks/bsr_mm_half.py entry=bsr_mm args="start, col, val, x, out, start.shape[0] - 1, x.shape[1]"
// a warp 32 x 32 outputs by wmma, fragments from global memory
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) bs_wmma(const int* __restrict__ start, const int* __restrict__ col, const __half* __restrict__ val, const __half* __restrict__ x, float* __restrict__ out, int n) {
    int c0 = (blockIdx.x * 4 + threadIdx.x / 32) * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    int end = start[blockIdx.y + 1];
    for (int b = start[blockIdx.y]; b < end; ++b) {
        const __half* v = val + (size_t)b * 1024;
        const __half* p = x + (size_t)col[b] * 32 * n + c0;
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], v + i * 512 + k, 32);
                wmma::load_matrix_sync(fb[i], p + (size_t)k * n + i * 16, n);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(out + ((size_t)blockIdx.y * 32 + i / 2 * 16) * n + c0 + i % 2 * 16, acc[i / 2][i % 2], n, wmma::mem_row_major);
}
extern "C" void bsr_mm(const int* start, const int* col, const __half* val, const __half* x, float* out, int rows, int n, cudaStream_t stream) {
    bs_wmma<<<dim3(n / 128, rows), 128, 0, stream>>>(start, col, val, x, out, n);
}
