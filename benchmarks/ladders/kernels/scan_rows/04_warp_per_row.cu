// kernelwright: task=../../tasks/scan_rows.py entry=scan_rows args="x, out, x.shape[0], x.shape[1]"
// a warp a row, 32 values at a time by shuffles
#include <cuda_runtime.h>

__global__ void sr_warp(const float* x, float* out, int rows, int d) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float carry = 0.f;
    for (int i = lane; i < d; i += 32) {
        float v = x[(size_t)r * d + i];
        for (int o = 1; o < 32; o *= 2) { float u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
        out[(size_t)r * d + i] = v + carry;
        carry += __shfl_sync(~0u, v, 31);
    }
}
extern "C" void scan_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    sr_warp<<<(rows + 3) / 4, 128, 0, stream>>>(x, out, rows, d);
}
