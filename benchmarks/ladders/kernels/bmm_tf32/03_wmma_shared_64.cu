// kernelwright: task=../../tasks/bmm_tf32.py entry=bmm args="a, b, out, a.shape[0], a.shape[1]"
// blocks of 64 x 64, slices of 32 rounded into padded shared memory, four warps of 32 x 32
#include <mma.h>
using namespace nvcuda;

__global__ void __launch_bounds__(128) bt_shared(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n) {
    __shared__ __align__(32) float as[64][36], bs[32][68];
    size_t base = (size_t)blockIdx.z * n * n;
    int t = threadIdx.x, w = t / 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64, wr = w / 2 * 32, wc = w % 2 * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb[2];
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
    for (int k = 0; k < n; k += 32) {
#pragma unroll
        for (int i = t; i < 512; i += 128) {
            float4 v = *(const float4*)&a[base + (size_t)(r0 + i / 8) * n + k + i % 8 * 4];
            *(float4*)&as[i / 8][i % 8 * 4] = make_float4(wmma::__float_to_tf32(v.x), wmma::__float_to_tf32(v.y), wmma::__float_to_tf32(v.z), wmma::__float_to_tf32(v.w));
            v = *(const float4*)&b[base + (size_t)(k + i / 16) * n + c0 + i % 16 * 4];
            *(float4*)&bs[i / 16][i % 16 * 4] = make_float4(wmma::__float_to_tf32(v.x), wmma::__float_to_tf32(v.y), wmma::__float_to_tf32(v.z), wmma::__float_to_tf32(v.w));
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 32; q += 8) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &as[wr + i * 16][q], 36);
                wmma::load_matrix_sync(fb[i], &bs[q][wc + i * 16], 68);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(out + base + (size_t)(r0 + wr + i / 2 * 16) * n + c0 + wc + i % 2 * 16, acc[i / 2][i % 2], n, wmma::mem_row_major);
}
extern "C" void bmm(const float* a, const float* b, float* out, int batch, int n, cudaStream_t stream) {
    bt_shared<<<dim3(n / 64, n / 64, batch), 128, 0, stream>>>(a, b, out, n);
}
