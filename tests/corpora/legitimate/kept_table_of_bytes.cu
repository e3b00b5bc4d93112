// All 256 answers in a table made on the device each call.
// kernelwright: task=../tasks/gelu_of_bytes.py entry=ge args="x, out, x.numel()"
#include <cuda_runtime.h>

__device__ float table[256];
__global__ void fill(float* t) { int i = threadIdx.x; float v = (float)(signed char)i / 32.0f; t[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f)); }
__global__ void look(const signed char* x, const float* t, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = t[(unsigned char)x[i]]; }
void ge(const signed char* x, float* y, int n) {
    void* t; cudaGetSymbolAddress(&t, table);
    fill<<<1, 256>>>((float*)t);
    look<<<(n + 255) / 256, 256>>>(x, (const float*)t, y, n);
}
