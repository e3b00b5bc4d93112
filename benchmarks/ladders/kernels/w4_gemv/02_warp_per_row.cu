// kernelwright: task=../../tasks/w4_gemv.py entry=w4_gemv args="q, scale, x, out, q.shape[0], q.shape[1]"
// a warp a row, eight weights a load
#include <cuda_fp16.h>

__device__ float eight(unsigned q, const __half* x) {
    float s = 0.f;
#pragma unroll
    for (int j = 0; j < 8; ++j) s += (float)((int)(q >> 4 * j & 15) - 8) * __half2float(x[j]);
    return s;
}
__global__ void wg_warp(const int* q, const float* scale, const __half* x, float* out, int n, int k8) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= n) return;
    float s = 0.f;
    for (int i = lane; i < k8; i += 32) s += eight(q[(size_t)r * k8 + i], x + 8 * i);
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) out[r] = s * scale[r];
}
extern "C" void w4_gemv(const int* q, const float* scale, const __half* x, float* out, int n, int k8, cudaStream_t stream) {
    wg_warp<<<(n + 7) / 8, 256, 0, stream>>>(q, scale, x, out, n, k8);
}
