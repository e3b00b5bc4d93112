// kernelwright: task=../../tasks/layernorm.py entry=layernorm args="x, weight, bias, out, x.shape[0], x.shape[1]"
// mean, variance and result by three kernels, a thread a row in the first two
#include <cuda_runtime.h>

__global__ void ln_mean(const float* x, float* mean, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int i = 0; i < d; ++i) s += x[(size_t)r * d + i];
    mean[r] = s / d;
}
__global__ void ln_var(const float* x, const float* mean, float* inv, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f, m = mean[r];
    for (int i = 0; i < d; ++i) { float v = x[(size_t)r * d + i] - m; s += v * v; }
    inv[r] = rsqrtf(s / d + 1e-5f);
}
__global__ void ln_apply(const float* x, const float* mean, const float* inv, const float* w, const float* b, float* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (x[i] - mean[i / d]) * inv[i / d] * w[i % d] + b[i % d];
}
extern "C" void layernorm(const float* x, const float* weight, const float* bias, float* out, int rows, int d, cudaStream_t stream) {
    static float* ws = nullptr;
    static int cap = 0;
    if (cap < rows) { if (ws) cudaFree(ws); cudaMalloc(&ws, 2 * sizeof(float) * rows); cap = rows; }
    ln_mean<<<(rows + 63) / 64, 64, 0, stream>>>(x, ws, rows, d);
    ln_var<<<(rows + 63) / 64, 64, 0, stream>>>(x, ws, ws + rows, rows, d);
    ln_apply<<<(rows * d + 255) / 256, 256, 0, stream>>>(x, ws, ws + rows, weight, bias, out, rows * d, d);
}
