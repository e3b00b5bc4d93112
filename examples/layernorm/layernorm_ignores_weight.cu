// kernelwright: task=layernorm.py entry=layernorm \
//     args="x, ln.weight, ln.bias, out, x.numel() // x.shape[2], x.shape[2]"
// Wrong: weight and bias are not applied. They are ones and zeros at first, so nothing shows before training.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, float* y, int rows, int features) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = x + (size_t)row * features;
    float* out = y + (size_t)row * features;
    float mean = 0.0f;
    for (int f = 0; f < features; ++f) {
        mean += in[f];
    }
    mean /= features;
    float variance = 0.0f;
    for (int f = 0; f < features; ++f) {
        variance += (in[f] - mean) * (in[f] - mean);
    }
    const float scale = rsqrtf(variance / features + 1e-5f);
    for (int f = 0; f < features; ++f) {
        out[f] = (in[f] - mean) * scale;  // defect: no weight, no bias
    }
}

void layernorm(const float* x, const float* weight, const float* bias, float* y, int rows, int features) {
    layernorm_kernel<<<(rows + 63) / 64, 64>>>(x, y, rows, features);
}
