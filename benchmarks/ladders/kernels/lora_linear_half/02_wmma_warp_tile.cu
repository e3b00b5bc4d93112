// kernelwright: task=../../tasks/lora_linear_half.py entry=lora_linear args="x, w, a, b, out, x.shape[0], x.shape[1], w.shape[0]"
// WMMA straight from global memory, one warp per 16x16 tile; the adapter's product as one more k step of 16 (x A' in half)
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ half g_down[4096 * 16];

__global__ void lora_down(const half* x, const half* a, int K) {
    // one warp per 16 rows
    __shared__ float tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fx;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fa;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    int row = blockIdx.x * 16;
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fx, x + row * K + k, K);
        wmma::load_matrix_sync(fa, a + k, K);
        wmma::mma_sync(acc, fx, fa, acc);
    }
    wmma::store_matrix_sync(tile, acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) g_down[row * 16 + i] = __float2half(2.f * tile[i]);
}

__global__ void lora_main(const half* x, const half* w, const half* b, half* out, int K, int N) {
    __shared__ float tile[4][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.y * 16, col = (blockIdx.x * 4 + warp) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fx;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fw;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fx, x + row * K + k, K);
        wmma::load_matrix_sync(fw, w + col * K + k, K);
        wmma::mma_sync(acc, fx, fw, acc);
    }
    wmma::load_matrix_sync(fx, g_down + row * 16, 16);
    wmma::load_matrix_sync(fw, b + col * 16, 16);
    wmma::mma_sync(acc, fx, fw, acc);
    wmma::store_matrix_sync(tile[warp], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) out[(row + i / 16) * N + col + i % 16] = __float2half(tile[warp][i]);
}

extern "C" void lora_linear(const half* x, const half* w, const half* a, const half* b, half* out, int T, int K, int N, cudaStream_t stream) {
    lora_down<<<T / 16, 32, 0, stream>>>(x, a, K);
    lora_main<<<dim3(N / 64, T / 16), 128, 0, stream>>>(x, w, b, out, K, N);
}
