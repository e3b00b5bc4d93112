// kernelwright: task=../../tasks/gelu_half.py entry=gelu_half args="x, bias, out, x.numel(), x.shape[1]"
// one element a thread, tanhf
#include <cuda_fp16.h>

__device__ __forceinline__ float gelu(float v) {
    float u = 0.7978845608f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.f + tanhf(u));
}
__global__ void gh_scalar(const __half* x, const __half* bias, __half* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2half(gelu(__half2float(x[i]) + __half2float(bias[i % d])));
}
extern "C" void gelu_half(const __half* x, const __half* bias, __half* out, int n, int d, cudaStream_t stream) {
    gh_scalar<<<(n + 255) / 256, 256, 0, stream>>>(x, bias, out, n, d);
}
