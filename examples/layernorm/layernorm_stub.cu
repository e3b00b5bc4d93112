// kernelwright: task=layernorm.py entry=layernorm \
//     args="x, ln.weight, ln.bias, out, x.numel() // x.shape[2], x.shape[2]"
#include <cuda_runtime.h>

void layernorm(const float* x, const float* weight, const float* bias, float* y, int rows, int features) {
    // y = (x - mean) / sqrt(variance + 1e-5) * weight + bias, over the last dimension
}
