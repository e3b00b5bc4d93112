// kernelwright: task=../../tasks/dual_gemm_swiglu.py entry=dual_gemm args="x, gate, up, out, x.shape[0], gate.shape[0], x.shape[1]"
// two products of tensor cores into floats, then the gate as a launch of its own
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__device__ float dg_gate[512 * 2816], dg_up[512 * 2816];

__global__ void __launch_bounds__(128) dg_product(const __half* __restrict__ x, const __half* __restrict__ w, int second, int n, int k) {
    __shared__ __align__(32) __half xs[64][40], ws[64][40];
    int t = threadIdx.x, wp = t / 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, wr = wp / 2 * 32, wc = wp % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = i % 4 * 8;
            *(uint4*)&xs[r][c] = *(const uint4*)&x[(size_t)(m0 + r) * k + k0 + c];
            *(uint4*)&ws[r][c] = *(const uint4*)&w[(size_t)(n0 + r) * k + k0 + c];
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
    float* o = second ? dg_up : dg_gate;
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::store_matrix_sync(&o[(size_t)(m0 + wr + i / 2 * 16) * n + n0 + wc + i % 2 * 16], acc[i / 2][i % 2], n, wmma::mem_row_major);
}
__global__ void dg_apply(__half* out, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= total) return;
    float g = dg_gate[i];
    out[i] = __float2half(g / (1.f + expf(-g)) * dg_up[i]);
}
extern "C" void dual_gemm(const __half* x, const __half* gate, const __half* up, __half* out, int m, int n, int k, cudaStream_t stream) {
    dg_product<<<dim3(n / 64, m / 64), 128, 0, stream>>>(x, gate, 0, n, k);
    dg_product<<<dim3(n / 64, m / 64), 128, 0, stream>>>(x, up, 1, n, k);
    dg_apply<<<(m * n + 255) / 256, 256, 0, stream>>>(out, m * n);
}
