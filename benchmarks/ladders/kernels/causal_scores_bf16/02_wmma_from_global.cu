// kernelwright: task=../../tasks/causal_scores_bf16.py entry=causal_scores args="q, k, out, q.shape[0], q.shape[1]"
// a warp a tile of 16 x 16 straight from global memory, the mask applied on the way out through shared memory
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) cs_direct(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int s) {
    __shared__ float tile[4][16][16];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, r0 = (blockIdx.y * 2 + w / 2) * 16, c0 = (blockIdx.x * 2 + w % 2) * 16;
    size_t head = (size_t)blockIdx.z * s;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.f);
    for (int i = 0; i < 64; i += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
        wmma::load_matrix_sync(fa, q + (head + r0) * 64 + i, 64);
        wmma::load_matrix_sync(fb, k + (head + c0) * 64 + i, 64);
        wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(&tile[w][0][0], acc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
        int r = r0 + i / 16, c = c0 + i % 16;
        out[(head + r) * s + c] = __float2bfloat16(c <= r ? tile[w][i / 16][i % 16] * 0.125f : 0.f);
    }
}
extern "C" void causal_scores(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int h, int s, cudaStream_t stream) {
    cs_direct<<<dim3(s / 32, s / 32, h), 128, 0, stream>>>(q, k, out, s);
}
