// kernelwright: task=../../tasks/dual_gemm_swiglu.py entry=dual_gemm args="x, gate, up, out, x.shape[0], gate.shape[0], x.shape[1]"
// two warps bring tiles, four warps multiply; named barriers hand four buffers to and fro
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

struct __align__(32) DwStage { __half x[64][40], g[64][40], u[64][40]; };

__device__ __forceinline__ void dw_sync(int id) { asm volatile("bar.sync %0, 192;" ::"r"(id) : "memory"); }
__device__ __forceinline__ void dw_arrive(int id) { asm volatile("bar.arrive %0, 192;" ::"r"(id) : "memory"); }

__global__ void __launch_bounds__(192) dg_special(const __half* __restrict__ x, const __half* __restrict__ gate, const __half* __restrict__ up, __half* __restrict__ out, int n, int k) {
    extern __shared__ __align__(32) unsigned char raw[];
    DwStage* st = (DwStage*)raw;
    int t = threadIdx.x, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, steps = k / 32;
    if (t >= 128) {
        int p = t - 128;
        for (int at = 0; at < steps; ++at) {
            if (at >= 4) dw_sync(5 + at % 4);
            DwStage& s = st[at % 4];
#pragma unroll
            for (int i = p; i < 256; i += 64) {
                int r = i / 4, c = i % 4 * 8;
                __pipeline_memcpy_async(&s.x[r][c], &x[(size_t)(m0 + r) * k + at * 32 + c], 16);
                __pipeline_memcpy_async(&s.g[r][c], &gate[(size_t)(n0 + r) * k + at * 32 + c], 16);
                __pipeline_memcpy_async(&s.u[r][c], &up[(size_t)(n0 + r) * k + at * 32 + c], 16);
            }
            __pipeline_commit();
            if (at >= 2) {
                __pipeline_wait_prior(2);
                __threadfence_block();
                dw_arrive(1 + (at - 2) % 4);
            }
        }
        __pipeline_wait_prior(1);
        __threadfence_block();
        dw_arrive(1 + (steps - 2) % 4);
        __pipeline_wait_prior(0);
        __threadfence_block();
        dw_arrive(1 + (steps - 1) % 4);
        return;
    }
    int wp = t / 32, wr = wp / 2 * 32, wc = wp % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> ga[2][2], ua[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        wmma::fill_fragment(ga[i / 2][i % 2], 0.f);
        wmma::fill_fragment(ua[i / 2][i % 2], 0.f);
    }
    for (int at = 0; at < steps; ++at) {
        dw_sync(1 + at % 4);
        DwStage& s = st[at % 4];
#pragma unroll
        for (int p = 0; p < 32; p += 16) {
#pragma unroll
            for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(fa[i], &s.x[wr + i * 16][p], 40);
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                wmma::load_matrix_sync(fb, &s.g[wc + j * 16][p], 40);
                wmma::mma_sync(ga[0][j], fa[0], fb, ga[0][j]);
                wmma::mma_sync(ga[1][j], fa[1], fb, ga[1][j]);
                wmma::load_matrix_sync(fb, &s.u[wc + j * 16][p], 40);
                wmma::mma_sync(ua[0][j], fa[0], fb, ua[0][j]);
                wmma::mma_sync(ua[1][j], fa[1], fb, ua[1][j]);
            }
        }
        if (at + 4 < steps) dw_arrive(5 + at % 4);
    }
    asm volatile("bar.sync 9, 128;" ::: "memory");
    float(*cs)[68] = (float(*)[68])raw;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int e = 0; e < ga[0][0].num_elements; ++e) {
            float g = ga[i / 2][i % 2].x[e];
            ga[i / 2][i % 2].x[e] = g / (1.f + __expf(-g)) * ua[i / 2][i % 2].x[e];
        }
        wmma::store_matrix_sync(&cs[wr + i / 2 * 16][wc + i % 2 * 16], ga[i / 2][i % 2], 68, wmma::mem_row_major);
    }
    asm volatile("bar.sync 9, 128;" ::: "memory");
    for (int i = t; i < 2048; i += 128) {
        int r = i / 32, c = i % 32 * 2;
        *(__half2*)&out[(size_t)(m0 + r) * n + n0 + c] = __floats2half2_rn(cs[r][c], cs[r][c + 1]);
    }
}
extern "C" void dual_gemm(const __half* x, const __half* gate, const __half* up, __half* out, int m, int n, int k, cudaStream_t stream) {
    cudaFuncSetAttribute(dg_special, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(DwStage) * 4);
    dg_special<<<dim3(n / 64, m / 64), 192, sizeof(DwStage) * 4, stream>>>(x, gate, up, out, n, k);
}
