// kernelwright: task=../../tasks/splitk_bf16.py entry=splitk args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// the same tiles with the inner dimension in eight parts, added by atomics
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) sk_atomic(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ out, int n, int k, int part) {
    __shared__ __align__(32) __nv_bfloat16 as[64][40], bs[32][72];
    __shared__ __align__(32) float cs[64][68];
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    int first = blockIdx.z * part;
    for (int k0 = first; k0 < first + part; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            *(uint4*)&as[i / 4][i % 4 * 8] = *(const uint4*)&a[(size_t)(r0 + i / 4) * k + k0 + i % 4 * 8];
            *(uint4*)&bs[i / 8][i % 8 * 8] = *(const uint4*)&b[(size_t)(k0 + i / 8) * n + c0 + i % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &as[w / 2 * 32 + 16 * i][kk], 40);
                wmma::load_matrix_sync(fb[i], &bs[kk][w % 2 * 32 + 16 * i], 72);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&cs[w / 2 * 32 + 16 * i][w % 2 * 32 + 16 * j], acc[i][j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 4096; i += 128) atomicAdd(&out[(size_t)(r0 + i / 64) * n + c0 + i % 64], cs[i / 64][i % 64]);
}
extern "C" void splitk(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int m, int n, int k, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)m * n * 4, stream);
    sk_atomic<<<dim3(n / 64, m / 64, 8), 128, 0, stream>>>(a, b, out, n, k, k / 8);
}
