// kernelwright: task=../../tasks/gelu_half.py entry=gelu_half args="x, bias, out, x.numel(), x.shape[1]"
// two elements a thread
#include <cuda_fp16.h>

__device__ __forceinline__ float gelu(float v) {
    float u = 0.7978845608f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.f + tanhf(u));
}
__global__ void gh_pairs(const __half2* x, const __half2* bias, __half2* out, int n2, int d2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n2) return;
    float2 v = __half22float2(x[i]), b = __half22float2(bias[i % d2]);
    out[i] = __floats2half2_rn(gelu(v.x + b.x), gelu(v.y + b.y));
}
extern "C" void gelu_half(const __half* x, const __half* bias, __half* out, int n, int d, cudaStream_t stream) {
    gh_pairs<<<(n / 2 + 255) / 256, 256, 0, stream>>>((const __half2*)x, (const __half2*)bias, (__half2*)out, n / 2, d / 2);
}
