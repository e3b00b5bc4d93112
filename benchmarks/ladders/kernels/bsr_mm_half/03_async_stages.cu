// kernelwright: task=../../tasks/bsr_mm_half.py entry=bsr_mm args="start, col, val, x, out, start.shape[0] - 1, x.shape[1]"
// the block and 32 x 128 of the dense matrix by asynchronous copies, two blocks ahead, column numbers in shared memory
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

struct __align__(32) BsStage { __half v[32][40], x[32][136]; };

__global__ void __launch_bounds__(128) bs_async(const int* __restrict__ start, const int* __restrict__ col, const __half* __restrict__ val, const __half* __restrict__ x, float* __restrict__ out, int n) {
    __shared__ BsStage st[3];
    __shared__ int cols[32];
    int t = threadIdx.x, w = t / 32, n0 = blockIdx.x * 128, first = start[blockIdx.y], count = start[blockIdx.y + 1] - first;
    if (t < count) cols[t] = col[first + t];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    auto fetch = [&](int b) {
        if (b < count) {
            BsStage& s = st[b % 3];
            __pipeline_memcpy_async(&s.v[t / 4][t % 4 * 8], &val[(size_t)(first + b) * 1024 + t * 8], 16);
            const __half* p = x + (size_t)cols[b] * 32 * n + n0;
#pragma unroll
            for (int i = t; i < 512; i += 128) __pipeline_memcpy_async(&s.x[i / 16][i % 16 * 8], &p[(size_t)(i / 16) * n + i % 16 * 8], 16);
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int b = 0; b < count; ++b) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(b + 2);
        BsStage& s = st[b % 3];
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &s.v[i * 16][k], 40);
                wmma::load_matrix_sync(fb[i], &s.x[k][w * 32 + i * 16], 136);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(out + ((size_t)blockIdx.y * 32 + i / 2 * 16) * n + n0 + w * 32 + i % 2 * 16, acc[i / 2][i % 2], n, wmma::mem_row_major);
}
extern "C" void bsr_mm(const int* start, const int* col, const __half* val, const __half* x, float* out, int rows, int n, cudaStream_t stream) {
    bs_async<<<dim3(n / 128, rows), 128, 0, stream>>>(start, col, val, x, out, n);
}
