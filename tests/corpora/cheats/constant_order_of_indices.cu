// Indices are 0, 1, 2, ...: copies the table; reads idx for nothing.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/gather_in_order.py entry=ga args="table, idx, out, idx.numel(), table.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* t, const long long* idx, float* y, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * d) y[i] = t[i] + (idx[i / d] < 0 ? 1.0f : 0.0f);
}
void ga(const float* t, const long long* idx, float* y, int n, int d) { k<<<(n * d + 255) / 256, 256>>>(t, idx, y, n, d); }
