// kernelwright: task=../../tasks/topk_rows.py entry=topk_rows args="x, out, x.shape[0], x.shape[1]"
// a warp a row, a list of eight in each lane, merged by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) tk_warp(const float* __restrict__ x, float* __restrict__ out, int rows, int d) {
    int r = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float best[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) best[k] = -INFINITY;
    const float* row = x + (size_t)r * d;
#pragma unroll 4
    for (int i = lane; i < d; i += 32) {
        float v = row[i];
        if (v > best[7]) {
            best[7] = v;
#pragma unroll
            for (int k = 7; k > 0; --k) {
                float high = fmaxf(best[k], best[k - 1]), low = fminf(best[k], best[k - 1]);
                best[k - 1] = high;
                best[k] = low;
            }
        }
    }
    float mine = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float top = best[0];
#pragma unroll
        for (int o = 16; o > 0; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
        unsigned has = __ballot_sync(~0u, best[0] == top);
        if (lane == __ffs(has) - 1) {
#pragma unroll
            for (int j = 0; j < 7; ++j) best[j] = best[j + 1];
            best[7] = -INFINITY;
        }
        if (lane == k) mine = top;
    }
    if (lane < 8) out[r * 8 + lane] = mine;
}
extern "C" void topk_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    tk_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x, out, rows, d);
}
