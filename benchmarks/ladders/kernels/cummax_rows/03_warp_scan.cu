// kernelwright: task=../../tasks/cummax_rows.py entry=cummax args="x, out, x.shape[0], x.shape[1]"
// a warp a row, 32 elements a step by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) cm_warp(const float* __restrict__ x, float* __restrict__ out, int d) {
    size_t base = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * d;
    int lane = threadIdx.x % 32;
    float carry = -INFINITY;
    for (int i = lane; i < d; i += 32) {
        float v = x[base + i];
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float u = __shfl_up_sync(~0u, v, o);
            if (lane >= o) v = fmaxf(v, u);
        }
        v = fmaxf(v, carry);
        out[base + i] = v;
        carry = __shfl_sync(~0u, v, 31);
    }
}
extern "C" void cummax(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    cm_warp<<<rows / 4, 128, 0, stream>>>(x, out, d);
}
