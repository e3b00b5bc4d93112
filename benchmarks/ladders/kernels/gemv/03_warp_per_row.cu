// kernelwright: task=../../tasks/gemv.py entry=gemv args="a, x, out, a.shape[0], a.shape[1]"
// a warp a row
#include <cuda_runtime.h>

__global__ void gv_warp(const float* a, const float* x, float* out, int m, int k) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= m) return;
    float v = 0.f;
    for (int i = lane; i < k; i += 32) v += a[(size_t)r * k + i] * x[i];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[r] = v;
}
extern "C" void gemv(const float* a, const float* x, float* out, int m, int k, cudaStream_t stream) {
    gv_warp<<<(m + 7) / 8, 256, 0, stream>>>(a, x, out, m, k);
}
