// kernelwright: task=../../tasks/bmm_small.py entry=bmm_small args="a, b, out, a.shape[0]"
// a warp a product: a column of b in registers, rows of a by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) bs_warp(const float* a, const float* b, float* out, int n) {
    int m = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (m >= n) return;
    size_t base = (size_t)m * 1024;
    float col[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) col[k] = b[base + k * 32 + lane];
    for (int y = 0; y < 32; ++y) {
        float row = a[base + y * 32 + lane], s = 0.f;
#pragma unroll
        for (int k = 0; k < 32; ++k) s += __shfl_sync(~0u, row, k) * col[k];
        out[base + y * 32 + lane] = s;
    }
}
extern "C" void bmm_small(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    bs_warp<<<(n + 3) / 4, 128, 0, stream>>>(a, b, out, n);
}
