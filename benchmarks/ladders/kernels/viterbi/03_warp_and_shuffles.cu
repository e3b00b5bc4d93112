// kernelwright: task=../../tasks/viterbi.py entry=viterbi args="e, trans, out, e.shape[0], e.shape[1]"
// a warp a sequence, a column of the transitions in registers, scores passed by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) v3_warp(const float* __restrict__ e, const float* __restrict__ trans, float* __restrict__ out, int n, int steps) {
    int b = blockIdx.x * 4 + threadIdx.x / 32, j = threadIdx.x % 32;
    if (b >= n) return;
    float tr[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) tr[k] = trans[k * 32 + j];
    const float* mine = e + (size_t)b * steps * 32 + j;
    float s = mine[0], next = steps > 1 ? mine[32] : 0.f;
    for (int t = 1; t < steps; ++t) {
        float emit = next, best = -1e30f;
        if (t + 1 < steps) next = mine[(t + 1) * 32];
#pragma unroll
        for (int k = 0; k < 32; ++k) best = fmaxf(best, __shfl_sync(~0u, s, k) + tr[k]);
        s = best + emit;
    }
#pragma unroll
    for (int o = 16; o; o /= 2) s = fmaxf(s, __shfl_xor_sync(~0u, s, o));
    if (j == 0) out[b] = s;
}
extern "C" void viterbi(const float* e, const float* trans, float* out, int n, int steps, cudaStream_t stream) {
    v3_warp<<<(n + 3) / 4, 128, 0, stream>>>(e, trans, out, n, steps);
}
