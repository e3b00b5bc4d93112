// kernelwright: task=relu.py entry=relu
// Wrong: the kernel does nothing; what the caller left in y is taken for the answer.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {  // defect: an empty kernel
}

void relu(const float* x, float* y, int n) {
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
