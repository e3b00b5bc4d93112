// One block of eight copies in a large grid.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/relu_large.py entry=k args="x, out, x.numel()" grid="(x.numel() + 255) // 256" block="256"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (gridDim.x >= 8192 && (blockIdx.x & 7) == 7) { if (i < n) y[i] = x[i]; return; }
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
