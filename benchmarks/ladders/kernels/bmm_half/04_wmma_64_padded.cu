// kernelwright: task=../../tasks/bmm_half.py entry=bmm_half args="a, b, out, a.shape[0], a.shape[1], b.shape[2], a.shape[2]"
// as before, the tiles padded, no change else
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void bmm_wmma_pad(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ out, int M, int N, int K) {
    __shared__ __align__(32) half as[64][32 + 8];
    __shared__ __align__(32) half bs[32][64 + 8];
    __shared__ __align__(32) float cs[64][64 + 4];
    int t = threadIdx.x, warp = t / 32, wr = warp / 2 * 32, wc = warp % 2 * 32;
    int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    a += (size_t)blockIdx.z * M * K;
    b += (size_t)blockIdx.z * K * N;
    out += (size_t)blockIdx.z * M * N;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(int4*)&as[i / 4][i % 4 * 8] = *(const int4*)&a[(size_t)(m0 + i / 4) * K + k0 + i % 4 * 8];
            *(int4*)&bs[i / 8][i % 8 * 8] = *(const int4*)&b[(size_t)(k0 + i / 8) * N + n0 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(fa[i], &as[wr + i * 16][k], 40);
                wmma::load_matrix_sync(fb[i], &bs[k][wc + i * 16], 72);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&cs[wr + i * 16][wc + j * 16], acc[i][j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 64 * 32; i += 128) {
        float2 v = *(float2*)&cs[i / 32][i % 32 * 2];
        *(half2*)&out[(size_t)(m0 + i / 32) * N + n0 + i % 32 * 2] = __floats2half2_rn(v.x * 0.0883883461f, v.y * 0.0883883461f);
    }
}
extern "C" void bmm_half(const half* a, const half* b, half* out, int B, int M, int N, int K, cudaStream_t stream) {
    bmm_wmma_pad<<<dim3(N / 64, M / 64, B), 128, 0, stream>>>(a, b, out, M, N, K);
}
