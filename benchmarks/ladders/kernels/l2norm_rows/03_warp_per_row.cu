// kernelwright: task=../../tasks/l2norm_rows.py entry=l2norm args="x, out, x.shape[0], x.shape[1]"
// a warp a row, shuffles, the row read twice
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) l2_warp(const float* __restrict__ x, float* __restrict__ out, int d) {
    size_t base = (size_t)(blockIdx.x * 8 + threadIdx.x / 32) * d;
    int lane = threadIdx.x % 32;
    float s = 0.f;
    for (int i = lane; i < d; i += 32) s += x[base + i] * x[base + i];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    float inv = 1.f / fmaxf(sqrtf(s), 1e-12f);
    for (int i = lane; i < d; i += 32) out[base + i] = x[base + i] * inv;
}
extern "C" void l2norm(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    l2_warp<<<rows / 8, 256, 0, stream>>>(x, out, d);
}
