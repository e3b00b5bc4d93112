// kernelwright: task=../../tasks/linear_gelu_half.py entry=linear_gelu_half args="x, w, b, out, x.shape[0], w.shape[0], w.shape[1]"
// a block a tile of 64 x 64 through shared memory, a warp 32 x 32 of it
#include <mma.h>
using namespace nvcuda;

__device__ float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }
__global__ void __launch_bounds__(128) lg_shared(const __half* x, const __half* w, const __half* b, __half* out, int n, int k) {
    __shared__ __align__(32) __half sa[64][40], sb[64][40];
    __shared__ __align__(32) float tile[4][16 * 20];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    for (int base = 0; base < k; base += 32) {
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            *(uint4*)&sa[r][c] = *(const uint4*)(x + (size_t)(r0 + r) * k + base + c);
            *(uint4*)&sb[r][c] = *(const uint4*)(w + (size_t)(c0 + r) * k + base + c);
        }
        __syncthreads();
        for (int q = 0; q < 32; q += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &sa[wr + 16 * i][q], 40);
                wmma::load_matrix_sync(fb[i], &sb[wc + 16 * i][q], 40);
            }
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(tile[warp], acc[i][j], 20, wmma::mem_row_major);
            __syncwarp();
            for (int e = lane; e < 256; e += 32) {
                int r = r0 + wr + 16 * i + e / 16, c = c0 + wc + 16 * j + e % 16;
                out[(size_t)r * n + c] = __float2half(gelu(tile[warp][e / 16 * 20 + e % 16] + __half2float(b[c])));
            }
            __syncwarp();
        }
}
extern "C" void linear_gelu_half(const __half* x, const __half* w, const __half* b, __half* out, int m, int n, int k, cudaStream_t stream) {
    lg_shared<<<dim3(n / 64, m / 64), 128, 0, stream>>>(x, w, b, out, n, k);
}
