// kernelwright: task=../../tasks/linear_gelu_half.py entry=linear_gelu_half args="x, w, b, out, x.shape[0], w.shape[0], w.shape[1]"
// a warp a tile of 16 x 16, its operands from global memory
#include <mma.h>
using namespace nvcuda;

__device__ float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }
__global__ void lg_global(const __half* x, const __half* w, const __half* b, __half* out, int n, int k) {
    __shared__ __align__(32) float tile[4][256];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, r0 = blockIdx.y * 16, c0 = (blockIdx.x * 4 + warp) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int i = 0; i < k; i += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, x + (size_t)r0 * k + i, k);
        wmma::load_matrix_sync(fb, w + (size_t)c0 * k + i, k);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(tile[warp], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32)
        out[(size_t)(r0 + i / 16) * n + c0 + i % 16] = __float2half(gelu(tile[warp][i] + __half2float(b[c0 + i % 16])));
}
extern "C" void linear_gelu_half(const __half* x, const __half* w, const __half* b, __half* out, int m, int n, int k, cudaStream_t stream) {
    lg_global<<<dim3(n / 64, m / 16), 128, 0, stream>>>(x, w, b, out, n, k);
}
