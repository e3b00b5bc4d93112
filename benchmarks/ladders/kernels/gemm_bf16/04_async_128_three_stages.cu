// kernelwright: task=../../tasks/gemm_bf16.py entry=gemm_bf16 args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// 128 x 128 outputs a block of eight warps, three stages of tiles filled by asynchronous copies
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

struct Stage { __nv_bfloat16 a[128][40], b[128][40]; };
__global__ void __launch_bounds__(256) gb_async(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int n, int k) {
    extern __shared__ __align__(16) unsigned char raw[];
    Stage* s = (Stage*)raw;
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 128, c0 = blockIdx.x * 128;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4][2];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    auto fetch = [&](int at) {
        if (at * 32 < k)
            for (int i = t; i < 512; i += 256) {
                __pipeline_memcpy_async(&s[at % 3].a[i / 4][i % 4 * 8], &a[(size_t)(r0 + i / 4) * k + at * 32 + i % 4 * 8], 16);
                __pipeline_memcpy_async(&s[at % 3].b[i / 4][i % 4 * 8], &b[(size_t)(c0 + i / 4) * k + at * 32 + i % 4 * 8], 16);
            }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int at = 0; at * 32 < k; ++at) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(at + 2);
        Stage& now = s[at % 3];
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(fa[i], &now.a[w / 4 * 64 + 16 * i][kk], 40);
#pragma unroll
            for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(fb[j], &now.b[w % 4 * 32 + 16 * j][kk], 40);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(out + (size_t)(r0 + w / 4 * 64 + 16 * i) * n + c0 + w % 4 * 32 + 16 * j, acc[i][j], n, wmma::mem_row_major);
}
extern "C" void gemm_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, int m, int n, int k, cudaStream_t stream) {
    cudaFuncSetAttribute(gb_async, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(3 * sizeof(Stage)));
    gb_async<<<dim3(n / 128, m / 128), 256, 3 * sizeof(Stage), stream>>>(a, b, out, n, k);
}
