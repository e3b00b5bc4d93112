// kernelwright: task=../../tasks/compact_rows.py entry=compact_rows args="x, out, x.shape[0], x.shape[1]"
// a warp a row, places by ballots
#include <cuda_runtime.h>

__global__ void cr_warp(const float* x, float* out, int rows, int d) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, n = 0;
    if (r >= rows) return;
    for (int i = lane; i < d; i += 32) {
        float v = x[(size_t)r * d + i];
        unsigned m = __ballot_sync(~0u, v > 0.f);
        if (v > 0.f) out[(size_t)r * d + n + __popc(m & ((1u << lane) - 1))] = v;
        n += __popc(m);
    }
    for (int i = n + lane; i < d; i += 32) out[(size_t)r * d + i] = 0.f;
}
extern "C" void compact_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    cr_warp<<<(rows + 3) / 4, 128, 0, stream>>>(x, out, rows, d);
}
