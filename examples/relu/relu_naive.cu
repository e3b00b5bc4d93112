// kernelwright: task=relu.py entry=relu
// One thread an element.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaxf(x[i], 0.0f);
    }
}

void relu(const float* x, float* y, int n) {
    const int block = 256;
    relu_kernel<<<(n + block - 1) / block, block>>>(x, y, n);
}
