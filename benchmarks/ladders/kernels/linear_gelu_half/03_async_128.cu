// kernelwright: task=../../tasks/linear_gelu_half.py entry=linear_gelu_half args="x, w, b, out, x.shape[0], w.shape[0], w.shape[1]"
// tiles of 128 x 128, the next step copied while this one is multiplied
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

__device__ float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }
__global__ void __launch_bounds__(256) lg_async(const __half* __restrict__ x, const __half* __restrict__ w, const __half* __restrict__ b, __half* __restrict__ out, int n, int k) {
    __shared__ __align__(128) __half stage[2][2][128 * 40];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, r0 = blockIdx.y * 128, c0 = blockIdx.x * 128, wr = warp / 2 * 32, wc = warp % 2 * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][4];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    auto fetch = [&](int s, int base) {
        for (int i = t; i < 512; i += 256) {
            int r = i / 4, c = i % 4 * 8;
            __pipeline_memcpy_async(&stage[s][0][r * 40 + c], x + (size_t)(r0 + r) * k + base + c, 16);
            __pipeline_memcpy_async(&stage[s][1][r * 40 + c], w + (size_t)(c0 + r) * k + base + c, 16);
        }
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int base = 0, s = 0; base < k; base += 32, s ^= 1) {
        if (base + 32 < k) {
            fetch(s ^ 1, base + 32);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 32; q += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[4];
            for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(fa[i], &stage[s][0][(wr + 16 * i) * 40 + q], 40);
            for (int j = 0; j < 4; ++j) wmma::load_matrix_sync(fb[j], &stage[s][1][(wc + 16 * j) * 40 + q], 40);
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    float* tile = (float*)stage + warp * 320;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            wmma::store_matrix_sync(tile, acc[i][j], 20, wmma::mem_row_major);
            __syncwarp();
            for (int e = lane; e < 128; e += 32) {
                int r = r0 + wr + 16 * i + e / 8, c = c0 + wc + 16 * j + e % 8 * 2;
                const float* v = tile + e / 8 * 20 + e % 8 * 2;
                *(__half2*)(out + (size_t)r * n + c) = __floats2half2_rn(gelu(v[0] + __half2float(b[c])), gelu(v[1] + __half2float(b[c + 1])));
            }
            __syncwarp();
        }
}
extern "C" void linear_gelu_half(const __half* x, const __half* w, const __half* b, __half* out, int m, int n, int k, cudaStream_t stream) {
    lg_async<<<dim3(n / 128, m / 128), 256, 0, stream>>>(x, w, b, out, n, k);
}
