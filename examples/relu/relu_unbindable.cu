// kernelwright: task=relu.py entry=leaky_relu
// Wrong: nothing in the task says what `slope` is.
#include <cuda_runtime.h>

__global__ void leaky_relu_kernel(const float* x, float* y, int n, float slope) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] > 0.0f ? x[i] : slope * x[i];
    }
}

void leaky_relu(const float* x, float* y, int n,
                float slope) {  // defect: no value of the task fits `slope`
    leaky_relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n, slope);
}
