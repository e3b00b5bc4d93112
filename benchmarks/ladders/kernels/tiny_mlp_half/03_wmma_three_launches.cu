// kernelwright: task=../../tasks/tiny_mlp_half.py entry=tiny_mlp args="x, w1, w2, w3, out, x.shape[0]"
// a launch a layer on tensor cores, activations of halves in global memory between them
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ __half mlp_h1[131072 * 64], mlp_h2[131072 * 64];

__global__ void __launch_bounds__(128) mlp_hidden(const __half* x, const __half* w, int to) {
    __shared__ __align__(32) float tile[4][16][68];
    const __half* in = to == 2 ? mlp_h1 : x;
    __half* out = to == 2 ? mlp_h2 : mlp_h1;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t r0 = (blockIdx.x * 4 + warp) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0.f);
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, in + r0 * 64 + k, 64);
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
            wmma::load_matrix_sync(fb, w + k * 64 + j * 16, 64);
            wmma::mma_sync(acc[j], fa, fb, acc[j]);
        }
    }
    for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(&tile[warp][0][j * 16], acc[j], 68, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 512; i += 32) {
        float2 v = *(float2*)&tile[warp][i / 32][i % 32 * 2];
        *(__half2*)&out[(r0 + i / 32) * 64 + i % 32 * 2] = __floats2half2_rn(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f));
    }
}
__global__ void __launch_bounds__(128) mlp_last(const __half* w, float* out) {
    size_t r0 = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int k = 0; k < 64; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, mlp_h2 + r0 * 64 + k, 64);
        wmma::load_matrix_sync(fb, w + k * 16, 16);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(out + r0 * 16, acc, 16, wmma::mem_row_major);
}
extern "C" void tiny_mlp(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out, int p, cudaStream_t stream) {
    mlp_hidden<<<p / 64, 128, 0, stream>>>(x, w1, 1);
    mlp_hidden<<<p / 64, 128, 0, stream>>>(x, w2, 2);
    mlp_last<<<p / 64, 128, 0, stream>>>(w3, out);
}
