// kernelwright: task=../../tasks/conv_nhwc_half.py entry=conv args="x, w, out, x.shape[0], x.shape[1], x.shape[3], w.shape[0]"
// an implicit product: 64 pixels by 64 channels a block, WMMA from padded shared memory
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) cn_wmma(const __half* __restrict__ x, const __half* __restrict__ w, __half* __restrict__ out, int hw, int c, int o) {
    __shared__ __align__(32) __half as[64][40], bs[64][40];
    __shared__ __align__(32) float cs[64][68];
    int t = threadIdx.x, wp = t / 32, p0 = blockIdx.x * 64, k0 = blockIdx.y * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    for (int rq = 0; rq < 9; ++rq) {
        int dy = rq / 3 - 1, dx = rq % 3 - 1;
        for (int c0 = 0; c0 < c; c0 += 32) {
            for (int i = t; i < 256; i += 128) {
                int p = p0 + i / 4, px = p % hw + dx, py = p / hw % hw + dy;
                uint4 v = make_uint4(0, 0, 0, 0);
                if (px >= 0 && px < hw && py >= 0 && py < hw) v = *(const uint4*)&x[(size_t)(p + dy * hw + dx) * c + c0 + i % 4 * 8];
                *(uint4*)&as[i / 4][i % 4 * 8] = v;
                *(uint4*)&bs[i / 4][i % 4 * 8] = *(const uint4*)&w[((size_t)(k0 + i / 4) * 9 + rq) * c + c0 + i % 4 * 8];
            }
            __syncthreads();
#pragma unroll
            for (int kk = 0; kk < 32; kk += 16) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    wmma::load_matrix_sync(fa[i], &as[wp / 2 * 32 + 16 * i][kk], 40);
                    wmma::load_matrix_sync(fb[i], &bs[wp % 2 * 32 + 16 * i][kk], 40);
                }
#pragma unroll
                for (int i = 0; i < 2; ++i)
#pragma unroll
                    for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
            }
            __syncthreads();
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&cs[wp / 2 * 32 + 16 * i][wp % 2 * 32 + 16 * j], acc[i][j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 2048; i += 128)
        *(__half2*)&out[(size_t)(p0 + i / 32) * o + k0 + i % 32 * 2] = __floats2half2_rn(cs[i / 32][i % 32 * 2], cs[i / 32][i % 32 * 2 + 1]);
}
extern "C" void conv(const __half* x, const __half* w, __half* out, int b, int hw, int c, int o, cudaStream_t stream) {
    cn_wmma<<<dim3(b * hw * hw / 64, o / 64), 128, 0, stream>>>(x, w, out, hw, c, o);
}
