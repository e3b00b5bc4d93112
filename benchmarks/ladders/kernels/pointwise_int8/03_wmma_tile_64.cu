// kernelwright: task=../../tasks/pointwise_int8.py entry=pointwise args="x, w, out, x.shape[0], w.shape[0], x.shape[1]"
// tensor cores by WMMA, 64 x 64 outputs a block, the whole depth in padded shared memory
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) pw_wmma(const signed char* x, const signed char* w, signed char* out, int cout) {
    __shared__ __align__(32) signed char xs[64][144], ws[64][144];
    __shared__ __align__(32) int tile[64][68];
    int t = threadIdx.x, warp = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    for (int i = t; i < 512; i += 128) {
        *(int4*)&xs[i / 8][i % 8 * 16] = *(const int4*)&x[(r0 + i / 8) * 128 + i % 8 * 16];
        *(int4*)&ws[i / 8][i % 8 * 16] = *(const int4*)&w[(c0 + i / 8) * 128 + i % 8 * 16];
    }
    __syncthreads();
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0);
#pragma unroll
    for (int k = 0; k < 128; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, &xs[warp * 16][k], 144);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
            wmma::load_matrix_sync(fb, &ws[j * 16][k], 144);
            wmma::mma_sync(acc[j], fa, fb, acc[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(&tile[warp * 16][j * 16], acc[j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 1024; i += 128) {
        int4 v = *(int4*)&tile[i / 16][i % 16 * 4];
        char4 o;
        o.x = max(-128, min(127, __float2int_rn(v.x * (1.f / 1024.f))));
        o.y = max(-128, min(127, __float2int_rn(v.y * (1.f / 1024.f))));
        o.z = max(-128, min(127, __float2int_rn(v.z * (1.f / 1024.f))));
        o.w = max(-128, min(127, __float2int_rn(v.w * (1.f / 1024.f))));
        *(char4*)&out[(r0 + i / 16) * cout + c0 + i % 16 * 4] = o;
    }
}
extern "C" void pointwise(const signed char* x, const signed char* w, signed char* out, int p, int cout, int cin, cudaStream_t stream) {
    pw_wmma<<<dim3(cout / 64, p / 64), 128, 0, stream>>>(x, w, out, cout);
}
