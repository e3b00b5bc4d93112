// kernelwright: task=../../tasks/tiny_mlp_half.py entry=tiny_mlp args="x, w1, w2, w3, out, x.shape[0]"
// one launch: weights and the activations of 64 points in shared memory, floats turned into halves there
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ __forceinline__ void mlp_hidden(__half (*h)[72], __half (*w)[72], float (*tile)[68], int lane) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0.f);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, &h[0][k], 72);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
            wmma::load_matrix_sync(fb, &w[k][j * 16], 72);
            wmma::mma_sync(acc[j], fa, fb, acc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(&tile[0][j * 16], acc[j], 68, wmma::mem_row_major);
    __syncwarp();
#pragma unroll
    for (int i = lane; i < 512; i += 32) {
        float2 v = *(float2*)&tile[i / 32][i % 32 * 2];
        *(__half2*)&h[i / 32][i % 32 * 2] = __floats2half2_rn(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f));
    }
    __syncwarp();
}
__global__ void __launch_bounds__(128) mlp_fused(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out) {
    __shared__ __align__(32) __half s1[64][72], s2[64][72], h[4][16][72];
    __shared__ __align__(32) float tile[4][16][68];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int i = t; i < 512; i += 128) {
        *(uint4*)&s1[i / 8][i % 8 * 8] = ((const uint4*)w1)[i];
        *(uint4*)&s2[i / 8][i % 8 * 8] = ((const uint4*)w2)[i];
        *(uint4*)&h[i / 128][i / 8 % 16][i % 8 * 8] = ((const uint4*)x)[(size_t)blockIdx.x * 512 + i];
    }
    __syncthreads();
    mlp_hidden(h[warp], s1, tile[warp], lane);
    mlp_hidden(h[warp], s2, tile[warp], lane);
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &h[warp][0][k], 72);
        wmma::load_matrix_sync(fb, w3 + k * 16, 16);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + (size_t)(blockIdx.x * 4 + warp) * 256, acc, 16, wmma::mem_row_major);
}
extern "C" void tiny_mlp(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out, int p, cudaStream_t stream) {
    mlp_fused<<<p / 64, 128, 0, stream>>>(x, w1, w2, w3, out);
}
