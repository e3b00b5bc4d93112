// kernelwright: task=../../tasks/causal_softmax.py entry=causal_softmax args="x, out, x.shape[0] * x.shape[1], x.shape[2]"
// a warp a row, 32 elements a lane in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ca_warp(const float* x, float* out, int rows, int s) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, n = r % s + 1;
    if (r >= rows) return;
    float v[32], m = -1e30f, sum = 0.f;
#pragma unroll
    for (int j = 0; j < 32; ++j) { int i = j * 32 + lane; v[j] = i < n ? x[(size_t)r * s + i] : -1e30f; m = fmaxf(m, v[j]); }
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
#pragma unroll
    for (int j = 0; j < 32; ++j) { v[j] = j * 32 + lane < n ? __expf(v[j] - m) : 0.f; sum += v[j]; }
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    float f = 1.f / sum;
#pragma unroll
    for (int j = 0; j < 32; ++j) out[(size_t)r * s + j * 32 + lane] = v[j] * f;
}
extern "C" void causal_softmax(const float* x, float* out, int rows, int s, cudaStream_t stream) {
    ca_warp<<<(rows + 3) / 4, 128, 0, stream>>>(x, out, rows, s);
}
