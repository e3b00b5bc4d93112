// kernelwright: task=../../tasks/layernorm.py entry=layernorm args="x, weight, bias, out, x.shape[0], x.shape[1]"
// a warp a row, two sums in one pass, the row read twice
#include <cuda_runtime.h>

__global__ void ln_warp(const float* x, const float* w, const float* b, float* out, int rows, int d) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const float* row = x + (size_t)r * d;
    float s = 0.f, q = 0.f;
    for (int i = lane; i < d; i += 32) { float v = row[i]; s += v; q += v * v; }
    for (int o = 16; o; o >>= 1) {
        s += __shfl_xor_sync(0xffffffffu, s, o);
        q += __shfl_xor_sync(0xffffffffu, q, o);
    }
    float mean = s / d, inv = rsqrtf(q / d - mean * mean + 1e-5f);
    for (int i = lane; i < d; i += 32) out[(size_t)r * d + i] = (row[i] - mean) * inv * w[i] + b[i];
}
extern "C" void layernorm(const float* x, const float* weight, const float* bias, float* out, int rows, int d, cudaStream_t stream) {
    ln_warp<<<(rows + 7) / 8, 256, 0, stream>>>(x, weight, bias, out, rows, d);
}
