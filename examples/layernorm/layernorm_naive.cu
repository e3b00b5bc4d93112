// kernelwright: task=layernorm.py entry=layernorm \
//     args="x, ln.weight, ln.bias, out, x.numel() // x.shape[2], x.shape[2]"
// One thread a row, three passes.
#include <cuda_runtime.h>

__global__ void layernorm_kernel(const float* x, const float* weight, const float* bias, float* y, int rows, int features) {
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
    variance /= features;
    const float scale = rsqrtf(variance + 1e-5f);
    for (int f = 0; f < features; ++f) {
        out[f] = (in[f] - mean) * scale * weight[f] + bias[f];
    }
}

void layernorm(const float* x, const float* weight, const float* bias, float* y, int rows, int features) {
    layernorm_kernel<<<(rows + 63) / 64, 64>>>(x, weight, bias, y, rows, features);
}
