// kernelwright: task=../../tasks/window_attention.py entry=window_attention args="q, k, v, out, q.shape[0]"
// four warps a window: both products on tensor cores, the softmax in shared memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) wa_wmma(const __half* q, const __half* k, const __half* v, __half* out) {
    __shared__ __align__(32) float s[64][68];
    __shared__ __align__(32) __half p[64][72];
    size_t base = (size_t)blockIdx.x * 2048;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    for (int c = 0; c < 4; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
        wmma::fill_fragment(acc, 0.f);
        for (int i = 0; i < 32; i += 16) {
            wmma::load_matrix_sync(fa, q + base + warp * 512 + i, 32);
            wmma::load_matrix_sync(fb, k + base + c * 512 + i, 32);
            wmma::mma_sync(acc, fa, fb, acc);
        }
        wmma::store_matrix_sync(&s[warp * 16][c * 16], acc, 68, wmma::mem_row_major);
    }
    __syncwarp();
    for (int r = warp * 16; r < warp * 16 + 16; ++r) {
        float a = s[r][lane] * 0.17677669f, b = s[r][lane + 32] * 0.17677669f, m = fmaxf(a, b), l;
        for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
        a = __expf(a - m);
        b = __expf(b - m);
        l = a + b;
        for (int o = 16; o; o /= 2) l += __shfl_xor_sync(~0u, l, o);
        p[r][lane] = __float2half(a / l);
        p[r][lane + 32] = __float2half(b / l);
    }
    __syncwarp();
    for (int c = 0; c < 2; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::fill_fragment(acc, 0.f);
        for (int j = 0; j < 64; j += 16) {
            wmma::load_matrix_sync(fa, &p[warp * 16][j], 72);
            wmma::load_matrix_sync(fb, v + base + j * 32 + c * 16, 32);
            wmma::mma_sync(acc, fa, fb, acc);
        }
        wmma::store_matrix_sync(&s[warp * 16][c * 16], acc, 68, wmma::mem_row_major);
    }
    __syncwarp();
    for (int i = lane; i < 512; i += 32) out[base + warp * 512 + i] = __float2half(s[warp * 16 + i / 32][i % 32]);
}
extern "C" void window_attention(const __half* q, const __half* k, const __half* v, __half* out, int b, cudaStream_t stream) {
    wa_wmma<<<b, 128, 0, stream>>>(q, k, v, out);
}
