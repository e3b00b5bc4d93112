// Two entries over one device function: each has its own directive and its own verdict.
// kernelwright: task=gelu.py entry=gelu_scalar
// kernelwright: task=gelu.py entry=gelu_half2
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ float gelu_tanh(float x) {
    const float inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void gelu_scalar_kernel(const __half* x, __half* y, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = __float2half(gelu_tanh(__half2float(x[i])));
    }
}

__global__ void gelu_half2_kernel(const __half* __restrict__ x, __half* __restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) {
        const float2 pair = __half22float2(reinterpret_cast<const __half2*>(x)[i]);
        reinterpret_cast<__half2*>(y)[i] = __floats2half2_rn(gelu_tanh(pair.x), gelu_tanh(pair.y));
    } else if (2 * i < n) {
        y[2 * i] = __float2half(gelu_tanh(__half2float(x[2 * i])));
    }
}

void gelu_scalar(const __half* x, __half* y, int n, cudaStream_t stream) {
    gelu_scalar_kernel<<<132 * 8, 256, 0, stream>>>(x, y, n);
}

void gelu_half2(const __half* x, __half* y, int n, cudaStream_t stream) {
    const int pairs = (n + 1) / 2;
    gelu_half2_kernel<<<(pairs + 255) / 256, 256, 0, stream>>>(x, y, n);
}
