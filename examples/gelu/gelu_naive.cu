// kernelwright: task=gelu.py entry=gelu
// One thread an element; arithmetic in float, since tanh of a half in halves loses most of its digits.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ float gelu_tanh(float x) {
    const float inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void gelu_kernel(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __float2half(gelu_tanh(__half2float(x[i])));
    }
}

void gelu(const __half* x, __half* y, int n) {
    gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
