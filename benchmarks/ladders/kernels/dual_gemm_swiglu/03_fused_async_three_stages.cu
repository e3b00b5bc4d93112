// kernelwright: task=../../tasks/dual_gemm_swiglu.py entry=dual_gemm args="x, gate, up, out, x.shape[0], gate.shape[0], x.shape[1]"
// fused, tiles brought by asynchronous copies two steps ahead
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

struct __align__(32) DgStage { __half x[64][40], g[64][40], u[64][40]; };

__global__ void __launch_bounds__(128) dg_async(const __half* __restrict__ x, const __half* __restrict__ gate, const __half* __restrict__ up, __half* __restrict__ out, int n, int k) {
    __shared__ DgStage st[3];
    int t = threadIdx.x, wp = t / 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, wr = wp / 2 * 32, wc = wp % 2 * 32, steps = k / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> ga[2][2], ua[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        wmma::fill_fragment(ga[i / 2][i % 2], 0.f);
        wmma::fill_fragment(ua[i / 2][i % 2], 0.f);
    }
    auto fetch = [&](int at) {
        if (at < steps) {
            DgStage& s = st[at % 3];
#pragma unroll
            for (int i = t; i < 256; i += 128) {
                int r = i / 4, c = i % 4 * 8;
                __pipeline_memcpy_async(&s.x[r][c], &x[(size_t)(m0 + r) * k + at * 32 + c], 16);
                __pipeline_memcpy_async(&s.g[r][c], &gate[(size_t)(n0 + r) * k + at * 32 + c], 16);
                __pipeline_memcpy_async(&s.u[r][c], &up[(size_t)(n0 + r) * k + at * 32 + c], 16);
            }
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int at = 0; at < steps; ++at) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(at + 2);
        DgStage& s = st[at % 3];
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
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    float(*cs)[68] = (float(*)[68])st;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int e = 0; e < ga[0][0].num_elements; ++e) {
            float g = ga[i / 2][i % 2].x[e];
            ga[i / 2][i % 2].x[e] = g / (1.f + __expf(-g)) * ua[i / 2][i % 2].x[e];
        }
        wmma::store_matrix_sync(&cs[wr + i / 2 * 16][wc + i % 2 * 16], ga[i / 2][i % 2], 68, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = t; i < 2048; i += 128) {
        int r = i / 32, c = i % 32 * 2;
        *(__half2*)&out[(size_t)(m0 + r) * n + n0 + c] = __floats2half2_rn(cs[r][c], cs[r][c + 1]);
    }
}
extern "C" void dual_gemm(const __half* x, const __half* gate, const __half* up, __half* out, int m, int n, int k, cudaStream_t stream) {
    dg_async<<<dim3(n / 64, m / 64), 128, 0, stream>>>(x, gate, up, out, n, k);
}
