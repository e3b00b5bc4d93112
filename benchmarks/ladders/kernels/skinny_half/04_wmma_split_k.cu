// kernelwright: task=../../tasks/skinny_half.py entry=skinny_half args="a, w, out, w.shape[0], w.shape[1]"
// a block of eight warps shares the depth of sixteen columns and adds up in shared memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(256) sk_split(const __half* a, const __half* w, float* out, int n, int k) {
    __shared__ float part[8][256];
    int warp = threadIdx.x / 32, c = blockIdx.x * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
#pragma unroll 4
    for (int i = warp * 16; i < k; i += 128) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, a + i, k);
        wmma::load_matrix_sync(fb, w + (size_t)c * k + i, k);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(part[warp], acc, 16, wmma::mem_row_major);
    __syncthreads();
    int t = threadIdx.x;
    float s = 0.f;
    for (int i = 0; i < 8; ++i) s += part[i][t];
    out[(size_t)(t / 16) * n + c + t % 16] = s;
}
extern "C" void skinny_half(const __half* a, const __half* w, float* out, int n, int k, cudaStream_t stream) {
    sk_split<<<n / 16, 256, 0, stream>>>(a, w, out, n, k);
}
