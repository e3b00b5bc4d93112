// kernelwright: task=../../tasks/lora_linear_half.py entry=lora_linear args="x, w, a, b, out, x.shape[0], x.shape[1], w.shape[0]"
// as 03 with two stages of cp.async
#include <cuda_fp16.h>
#include <mma.h>
#include <cuda_pipeline.h>
using namespace nvcuda;

constexpr int LD = 40;

__global__ void __launch_bounds__(128) lora_main(const half* __restrict__ x, const half* __restrict__ w, const half* __restrict__ a,
                                                 const half* __restrict__ b, half* __restrict__ out, int K, int N) {
    __shared__ __align__(16) half xs[2][64 * LD];
    __shared__ __align__(16) half ws[2][64 * LD];
    __shared__ __align__(16) half as[2][16 * LD];
    __shared__ __align__(16) float tile[4][256];
    __shared__ __align__(16) half down[64 * 16];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int wr = (warp / 2) * 32, wc = (warp % 2) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2], low;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.f);
    wmma::fill_fragment(low, 0.f);
    auto fetch = [&](int s, int k0) {
        for (int i = tid; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            __pipeline_memcpy_async(&xs[s][r * LD + c], &x[(row0 + r) * K + k0 + c], 16);
            __pipeline_memcpy_async(&ws[s][r * LD + c], &w[(col0 + r) * K + k0 + c], 16);
        }
        if (tid < 64) __pipeline_memcpy_async(&as[s][tid / 4 * LD + tid % 4 * 8], &a[tid / 4 * K + k0 + tid % 4 * 8], 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int k0 = 0, s = 0; k0 < K; k0 += 32, s ^= 1) {
        if (k0 + 32 < K) {
            fetch(s ^ 1, k0 + 32);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fx[2], fl;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fw[2], fa;
            for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fx[i], xs[s] + (wr + i * 16) * LD + kk, LD);
            for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fw[j], ws[s] + (wc + j * 16) * LD + kk, LD);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fx[i], fw[j], acc[i][j]);
            wmma::load_matrix_sync(fl, xs[s] + warp * 16 * LD + kk, LD);
            wmma::load_matrix_sync(fa, as[s] + kk, LD);
            wmma::mma_sync(low, fl, fa, low);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(tile[warp], low, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) down[warp * 256 + i] = __float2half(2.f * tile[warp][i]);
    __syncthreads();
    for (int j = 0; j < 2; j++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
        wmma::load_matrix_sync(fb, b + (col0 + wc + j * 16) * 16, 16);
        for (int i = 0; i < 2; i++) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fd;
            wmma::load_matrix_sync(fd, down + (wr + i * 16) * 16, 16);
            wmma::mma_sync(acc[i][j], fd, fb, acc[i][j]);
            __syncwarp();
            wmma::store_matrix_sync(tile[warp], acc[i][j], 16, wmma::mem_row_major);
            __syncwarp();
            for (int e = lane; e < 128; e += 32) {
                int r = e / 8, c = e % 8 * 2;
                *(half2*)&out[(row0 + wr + i * 16 + r) * N + col0 + wc + j * 16 + c] =
                    __floats2half2_rn(tile[warp][r * 16 + c], tile[warp][r * 16 + c + 1]);
            }
        }
    }
}

extern "C" void lora_linear(const half* x, const half* w, const half* a, const half* b, half* out, int T, int K, int N, cudaStream_t stream) {
    lora_main<<<dim3(N / 64, T / 64), 128, 0, stream>>>(x, w, a, b, out, K, N);
}
