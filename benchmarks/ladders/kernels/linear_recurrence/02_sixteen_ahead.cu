// kernelwright: task=../../tasks/linear_recurrence.py entry=linear_recurrence args="a, x, out, x.shape[0], x.shape[1]"
// a thread a channel in blocks of 64, sixteen steps loaded at once
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) lr_ahead(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ out, int t, int c) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= c) return;
    float h = 0.f;
    for (int k = 0; k < t; k += 16) {
        float as[16], xs[16];
#pragma unroll
        for (int u = 0; u < 16; ++u) {
            as[u] = a[(size_t)(k + u) * c + i];
            xs[u] = x[(size_t)(k + u) * c + i];
        }
#pragma unroll
        for (int u = 0; u < 16; ++u) {
            h = as[u] * h + xs[u];
            out[(size_t)(k + u) * c + i] = h;
        }
    }
}
extern "C" void linear_recurrence(const float* a, const float* x, float* out, int t, int c, cudaStream_t stream) {
    lr_ahead<<<(c + 63) / 64, 64, 0, stream>>>(a, x, out, t, c);
}
