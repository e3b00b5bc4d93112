// kernelwright: task=../../tasks/adaln_modulate.py entry=modulate args="x, scale, shift, out, x.shape[0], x.shape[1], x.shape[2]"
// a warp a row, the sums of both moments in one pass, shuffles
#include <cuda_runtime.h>

__global__ void ada_warp(const float* __restrict__ x, const float* __restrict__ scale, const float* __restrict__ shift, float* __restrict__ out, int rows, int T, int D) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const float* row = x + (size_t)r * D;
    float s = 0.f, q = 0.f, first = row[0];
#pragma unroll 4
    for (int i = lane; i < D; i += 32) {
        float v = row[i] - first;
        s += v;
        q += v * v;
    }
    for (int o = 16; o; o >>= 1) {
        s += __shfl_xor_sync(~0u, s, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    float mean = s / D, rstd = rsqrtf(fmaxf(q / D - mean * mean, 0.f) + 1e-6f);
    const float* a = scale + (size_t)(r / T) * D;
    const float* b = shift + (size_t)(r / T) * D;
#pragma unroll 4
    for (int i = lane; i < D; i += 32) out[(size_t)r * D + i] = (row[i] - first - mean) * rstd * (1.f + a[i]) + b[i];
}
extern "C" void modulate(const float* x, const float* scale, const float* shift, float* out, int B, int T, int D, cudaStream_t stream) {
    ada_warp<<<(B * T + 7) / 8, 256, 0, stream>>>(x, scale, shift, out, B * T, T, D);
}
