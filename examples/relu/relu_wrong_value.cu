// kernelwright: task=relu.py entry=relu
// Wrong: the absolute value, not the positive part. Inputs from [0, 1) alone would not show it.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fabsf(x[i]);  // defect: fabsf(x) is not max(x, 0)
    }
}

void relu(const float* x, float* y, int n) {
    const int block = 256;
    relu_kernel<<<(n + block - 1) / block, block>>>(x, y, n);
}
