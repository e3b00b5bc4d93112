// kernelwright: task=../../tasks/bmm_tf32.py entry=bmm args="a, b, out, a.shape[0], a.shape[1]"
// blocks of 64 x 64, two stages of asynchronous copies, rounded in the fragments
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) bt_async(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    __shared__ __align__(32) float as[2][64][36], bs[2][32][68];
    size_t base = (size_t)blockIdx.z * n * n;
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, wr = w / 2 * 32, wc = w % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    auto fetch = [&](int k, int to) {
        if (k < n)
#pragma unroll
            for (int i = t; i < 512; i += 128) {
                __pipeline_memcpy_async(&as[to][i / 8][i % 8 * 4], &a[base + (size_t)(r0 + i / 8) * n + k + i % 8 * 4], 16);
                __pipeline_memcpy_async(&bs[to][i / 16][i % 16 * 4], &b[base + (size_t)(k + i / 16) * n + c0 + i % 16 * 4], 16);
            }
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int k = 0, at = 0; k < n; k += 32, at ^= 1) {
        fetch(k + 32, at ^ 1);
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 32; q += 8) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &as[at][wr + i * 16][q], 36);
                wmma::load_matrix_sync(fb[i], &bs[at][q][wc + i * 16], 68);
#pragma unroll
                for (int e = 0; e < fa[i].num_elements; ++e) fa[i].x[e] = wmma::__float_to_tf32(fa[i].x[e]);
#pragma unroll
                for (int e = 0; e < fb[i].num_elements; ++e) fb[i].x[e] = wmma::__float_to_tf32(fb[i].x[e]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(out + base + (size_t)(r0 + wr + i / 2 * 16) * n + c0 + wc + i % 2 * 16, acc[i / 2][i % 2], n, wmma::mem_row_major);
}
extern "C" void bmm(const float* a, const float* b, float* out, int batch, int n, cudaStream_t stream) {
    bt_async<<<dim3(n / 64, n / 64, batch), 128, 0, stream>>>(a, b, out, n);
}
