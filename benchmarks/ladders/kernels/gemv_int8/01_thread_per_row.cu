// kernelwright: task=../../tasks/gemv_int8.py entry=gemv8 args="a, x, scale, out, a.shape[0], a.shape[1]"
// a thread a row, byte by byte
#include <cuda_runtime.h>

__global__ void g8_thread(const signed char* a, const signed char* x, const float* scale, float* out, int m, int k) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= m) return;
    int s = 0;
    for (int i = 0; i < k; ++i) s += a[(size_t)r * k + i] * x[i];
    out[r] = s * scale[r];
}
extern "C" void gemv8(const signed char* a, const signed char* x, const float* scale, float* out, int m, int k, cudaStream_t stream) {
    g8_thread<<<(m + 63) / 64, 64, 0, stream>>>(a, x, scale, out, m, k);
}
