// kernelwright: task=../../tasks/logcumsumexp_rows.py entry=logcumsumexp args="x, out, x.shape[0], x.shape[1]"
// a warp a row, pairs of maximum and sum by shuffles: exponentials alone in the scan, one logarithm a result
#include <cuda_runtime.h>
#include <math.h>

__global__ void lc_warp(const float* __restrict__ x, float* __restrict__ out, int rows, int D) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float cm = -1e30f, cs = 0.f;
    for (int i0 = 0; i0 < D; i0 += 32) {
        int i = i0 + lane;
        float m = i < D ? x[(size_t)r * D + i] : -1e30f, s = i < D ? 1.f : 0.f;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float om = __shfl_up_sync(~0u, m, o), os = __shfl_up_sync(~0u, s, o);
            if (lane >= o) {
                float n = fmaxf(m, om);
                s = s * __expf(m - n) + os * __expf(om - n);
                m = n;
            }
        }
        float n = fmaxf(m, cm);
        s = s * __expf(m - n) + cs * __expf(cm - n);
        if (i < D) out[(size_t)r * D + i] = n + __logf(s);
        cm = __shfl_sync(~0u, n, 31);
        cs = __shfl_sync(~0u, s, 31);
    }
}
extern "C" void logcumsumexp(const float* x, float* out, int rows, int D, cudaStream_t stream) {
    lc_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x, out, rows, D);
}
