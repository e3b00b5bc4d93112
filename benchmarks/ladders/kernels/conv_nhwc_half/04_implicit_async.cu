// kernelwright: task=../../tasks/conv_nhwc_half.py entry=conv args="x, w, out, x.shape[0], x.shape[1], x.shape[3], w.shape[0]"
// the same product, three stages of asynchronous copies that fill the border with zeros
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

struct __align__(32) CnStage { __half a[64][40], b[64][40]; };
__global__ void __launch_bounds__(128) cn_async(const __half* __restrict__ x, const __half* __restrict__ w, __half* __restrict__ out, int hw, int c, int o) {
    __shared__ CnStage st[3];
    int t = threadIdx.x, wp = t / 32, p0 = blockIdx.x * 64, k0 = blockIdx.y * 64, per = c / 32, steps = 9 * per;
    int px[2], py[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        int p = p0 + t / 4 + 32 * i;
        px[i] = p % hw;
        py[i] = p / hw % hw;
    }
    auto fetch = [&](int at) {
        if (at < steps) {
            CnStage& s = st[at % 3];
            int rq = at / per, c0 = at % per * 32 + t % 4 * 8, dy = rq / 3 - 1, dx = rq % 3 - 1;
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                int row = t / 4 + 32 * i;
                bool in = px[i] + dx >= 0 && px[i] + dx < hw && py[i] + dy >= 0 && py[i] + dy < hw;
                size_t from = in ? (size_t)(p0 + row + dy * hw + dx) * c + c0 : 0;
                __pipeline_memcpy_async(&s.a[row][t % 4 * 8], &x[from], 16, in ? 0 : 16);
                __pipeline_memcpy_async(&s.b[row][t % 4 * 8], &w[((size_t)(k0 + row) * 9 + rq) * c + c0], 16);
            }
        }
        __pipeline_commit();
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
    fetch(0);
    fetch(1);
    for (int at = 0; at < steps; ++at) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(at + 2);
        CnStage& s = st[at % 3];
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], &s.a[wp / 2 * 32 + 16 * i][kk], 40);
                wmma::load_matrix_sync(fb[i], &s.b[wp % 2 * 32 + 16 * i][kk], 40);
            }
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
    __syncthreads();
    float (*cs)[68] = (float (*)[68])st;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&cs[wp / 2 * 32 + 16 * i][wp % 2 * 32 + 16 * j], acc[i][j], 68, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 2048; i += 128)
        *(__half2*)&out[(size_t)(p0 + i / 32) * o + k0 + i % 32 * 2] = __floats2half2_rn(cs[i / 32][i % 32 * 2], cs[i / 32][i % 32 * 2 + 1]);
}
extern "C" void conv(const __half* x, const __half* w, __half* out, int b, int hw, int c, int o, cudaStream_t stream) {
    cn_async<<<dim3(b * hw * hw / 64, o / 64), 128, 0, stream>>>(x, w, out, hw, c, o);
}
