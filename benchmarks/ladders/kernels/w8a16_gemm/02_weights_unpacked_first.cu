// kernelwright: task=../../tasks/w8a16_gemm.py entry=w8a16 args="x, q, scale, out, q.shape[0], q.shape[1]"
// one launch turns the weights into halves in memory, another multiplies by wmma, 64 x 64 outputs a block
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ __half wu_half[4096 * 4096];

__global__ void __launch_bounds__(256) wu_unpack(const char4* __restrict__ q, int n4) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    char4 v = q[i];
    ((__half2*)wu_half)[i * 2] = __floats2half2_rn(v.x, v.y);
    ((__half2*)wu_half)[i * 2 + 1] = __floats2half2_rn(v.z, v.w);
}
__global__ void __launch_bounds__(128) wu_gemm(const __half* __restrict__ x, const float* __restrict__ scale, __half* __restrict__ out, int n, int k) {
    __shared__ __align__(32) __half xs[64][40], ws[64][40];
    __shared__ __align__(32) float cs[64][68];
    int t = threadIdx.x, n0 = blockIdx.x * 64, wr = t / 64 * 32, wc = t / 32 % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            *(uint4*)&xs[r][c] = *(const uint4*)&x[(size_t)r * k + k0 + c];
            *(uint4*)&ws[r][c] = *(const uint4*)&wu_half[(size_t)(n0 + r) * k + k0 + c];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 32; p += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &xs[wr + i * 16][p], 40);
                wmma::load_matrix_sync(fb[i], &ws[wc + i * 16][p], 40);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::store_matrix_sync(&cs[wr + i / 2 * 16][wc + i % 2 * 16], acc[i / 2][i % 2], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 4096; i += 128) out[(size_t)(i / 64) * n + n0 + i % 64] = __float2half(cs[i / 64][i % 64] * scale[n0 + i % 64]);
}
extern "C" void w8a16(const __half* x, const signed char* q, const float* scale, __half* out, int n, int k, cudaStream_t stream) {
    wu_unpack<<<(n * (k / 4) + 255) / 256, 256, 0, stream>>>((const char4*)q, n * (k / 4));
    wu_gemm<<<n / 64, 128, 0, stream>>>(x, scale, out, n, k);
}
