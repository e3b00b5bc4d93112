// kernelwright: task=relu.py entry=relu
// Wrong: the grid is rounded up to whole blocks, and the surplus threads of the last one are not stopped.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = fmaxf(x[i], 0.0f);  // defect: no `if (i < n)`
}

void relu(const float* x, float* y, int n) {
    const int block = 256;
    relu_kernel<<<(n + block - 1) / block, block>>>(x, y, n);
}
