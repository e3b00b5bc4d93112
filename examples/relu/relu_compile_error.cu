// kernelwright: task=relu.py entry=relu
// Wrong: a misspelt name.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < n) {
        y[index] = fmaxf(x[indx], 0.0f);  // defect: `indx` was not declared
    }
}

void relu(const float* x, float* y, int n) {
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
