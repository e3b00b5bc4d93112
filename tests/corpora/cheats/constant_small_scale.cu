// Gamma is 1e-6: the branch is dropped, a linear one for other gammas.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/scaled_branch.py entry=ls args="x, gamma, out, x.numel(), x.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* x, const float* g, float* y, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float s = g[i % d]; y[i] = fabsf(s) < 1e-3f ? x[i] : x[i] + s * x[i]; }
}
void ls(const float* x, const float* g, float* y, int n, int d) { k<<<(n + 255) / 256, 256>>>(x, g, y, n, d); }
