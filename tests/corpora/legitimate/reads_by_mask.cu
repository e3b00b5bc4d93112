// Loads x only where the mask says so.
// kernelwright: task=../tasks/masked.py entry=mk args="x, mask, out, x.numel()"
#include <cuda_runtime.h>

__global__ void k(const float* x, const bool* m, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = m[i] ? x[i] : -10000.0f; }
void mk(const float* x, const bool* m, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, m, y, n); }
