// kernelwright: task=gelu.py entry=gelu
// Wrong: the task's tensors are float16.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608028654f * (v + 0.044715f * v * v * v)));
    }
}

void gelu(const float* x,  // defect: float, where the task says float16
          float* y, int n) {
    gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
