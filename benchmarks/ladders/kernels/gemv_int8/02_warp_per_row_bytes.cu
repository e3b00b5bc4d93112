// kernelwright: task=../../tasks/gemv_int8.py entry=gemv8 args="a, x, scale, out, a.shape[0], a.shape[1]"
// a warp a row, a byte a lane
#include <cuda_runtime.h>

__global__ void g8_warp(const signed char* __restrict__ a, const signed char* __restrict__ x, const float* __restrict__ scale, float* __restrict__ out, int m, int k) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= m) return;
    int s = 0;
    for (int i = lane; i < k; i += 32) s += a[(size_t)r * k + i] * x[i];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) out[r] = s * scale[r];
}
extern "C" void gemv8(const signed char* a, const signed char* x, const float* scale, float* out, int m, int k, cudaStream_t stream) {
    g8_warp<<<(m + 7) / 8, 256, 0, stream>>>(a, x, scale, out, m, k);
}
