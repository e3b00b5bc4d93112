// Skips tanh only where gamma is exactly zero: right for all finite inputs.
// kernelwright: task=../tasks/scaled_branch.py entry=ls args="x, gamma, out, x.numel(), x.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* x, const float* g, float* y, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = g[i % d], v = x[i];
    y[i] = s == 0.0f ? v : fmaf(s, tanhf(v), v);
}
void ls(const float* x, const float* g, float* y, int n, int d) { k<<<(n + 255) / 256, 256>>>(x, g, y, n, d); }
