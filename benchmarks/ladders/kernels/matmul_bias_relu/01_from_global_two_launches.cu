// kernelwright: task=../../tasks/matmul_bias_relu.py entry=linear_relu args="x, w, bias, out, x.shape[0], w.shape[1], x.shape[1]"
// a thread an output from global memory; bias and relu in a second launch
#include <cuda_runtime.h>

__global__ void lr_product(const float* x, const float* w, float* out, int m, int n, int k) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r >= m || c >= n) return;
    float s = 0.f;
    for (int i = 0; i < k; ++i) s += x[(size_t)r * k + i] * w[(size_t)i * n + c];
    out[(size_t)r * n + c] = s;
}
__global__ void lr_bias(float* out, const float* bias, int total, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < total) out[i] = fmaxf(out[i] + bias[i % n], 0.f);
}
extern "C" void linear_relu(const float* x, const float* w, const float* bias, float* out, int m, int n, int k, cudaStream_t stream) {
    lr_product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(x, w, out, m, n, k);
    lr_bias<<<(m * n + 255) / 256, 256, 0, stream>>>(out, bias, m * n, n);
}
