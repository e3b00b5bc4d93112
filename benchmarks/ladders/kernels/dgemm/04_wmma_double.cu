// kernelwright: task=../../tasks/dgemm.py entry=dgemm args="a, b, out, a.shape[0]"
// 64 x 64 outputs a block of eight warps, tensor cores in double precision (WMMA 8 x 8 x 4)
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(256) dg_wmma(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ out, int n) {
    __shared__ __align__(32) double as[64][20], bs[16][68];
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> acc[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.0);
    for (int k0 = 0; k0 < n; k0 += 16) {
#pragma unroll
        for (int i = t; i < 512; i += 256) {
            *(double2*)&as[i / 8][i % 8 * 2] = *(const double2*)&a[(size_t)(r0 + i / 8) * n + k0 + i % 8 * 2];
            *(double2*)&bs[i / 32][i % 32 * 2] = *(const double2*)&b[(size_t)(k0 + i / 32) * n + c0 + i % 32 * 2];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k += 4) {
            wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(fa[i], &as[w / 4 * 32 + 8 * i][k], 20);
#pragma unroll
            for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(fb[j], &bs[k][w % 4 * 16 + 8 * j], 68);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(out + (size_t)(r0 + w / 4 * 32 + 8 * i) * n + c0 + w % 4 * 16 + 8 * j, acc[i][j], n, wmma::mem_row_major);
}
extern "C" void dgemm(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    dg_wmma<<<dim3(n / 64, n / 64), 256, 0, stream>>>(a, b, out, n);
}
