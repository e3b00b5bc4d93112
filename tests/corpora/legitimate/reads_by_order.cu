// Vector gather: copies are the task.
// kernelwright: task=../tasks/gather_in_order.py entry=ga args="table, idx, out, idx.numel(), table.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float4* t, const long long* idx, float4* y, int n, int d4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * d4) y[i] = t[idx[i / d4] * d4 + i % d4];
}
__global__ void k1(const float* t, const long long* idx, float* y, int n, int d) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n * d) y[i] = t[idx[i / d] * d + i % d]; }
void ga(const float* t, const long long* idx, float* y, int n, int d) {
    if (d % 4 == 0) k<<<(n * d / 4 + 255) / 256, 256>>>((const float4*)t, idx, (float4*)y, n, d / 4);
    else k1<<<(n * d + 255) / 256, 256>>>(t, idx, y, n, d);
}
