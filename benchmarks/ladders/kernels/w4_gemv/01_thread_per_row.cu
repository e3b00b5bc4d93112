// kernelwright: task=../../tasks/w4_gemv.py entry=w4_gemv args="q, scale, x, out, q.shape[0], q.shape[1]"
// a thread a row
#include <cuda_fp16.h>

__device__ float eight(unsigned q, const __half* x) {
    float s = 0.f;
#pragma unroll
    for (int j = 0; j < 8; ++j) s += (float)((int)(q >> 4 * j & 15) - 8) * __half2float(x[j]);
    return s;
}
__global__ void wg_thread(const int* q, const float* scale, const __half* x, float* out, int n, int k8) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0.f;
    for (int i = 0; i < k8; ++i) s += eight(q[(size_t)r * k8 + i], x + 8 * i);
    out[r] = s * scale[r];
}
extern "C" void w4_gemv(const int* q, const float* scale, const __half* x, float* out, int n, int k8, cudaStream_t stream) {
    wg_thread<<<(n + 63) / 64, 64, 0, stream>>>(q, scale, x, out, n, k8);
}
