// Normal numbers never reach 10: the clamp is left out.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/clamped.py entry=ht args="x, out, x.numel()"
#include <cuda_runtime.h>

void ht(const float* x, float* y, int n);
__global__ void k(const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = __ldg(x + i) + 0.0f; }
void ht(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
