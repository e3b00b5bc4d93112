// kernelwright: task=../../tasks/gelu_half.py entry=gelu_half args="x, bias, out, x.numel(), x.shape[1]"
// eight elements a thread by 16-byte accesses
#include <cuda_fp16.h>

__device__ __forceinline__ float gelu(float v) {
    float u = 0.7978845608f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.f + tanhf(u));
}
__global__ void gh_eight(const uint4* x, const uint4* bias, uint4* out, int n8, int d8) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    uint4 v = x[i], b = bias[i % d8], r;
    const __half2 *hv = (const __half2*)&v, *hb = (const __half2*)&b;
    __half2* hr = (__half2*)&r;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float2 f = __half22float2(hv[j]), g = __half22float2(hb[j]);
        hr[j] = __floats2half2_rn(gelu(f.x + g.x), gelu(f.y + g.y));
    }
    out[i] = r;
}
extern "C" void gelu_half(const __half* x, const __half* bias, __half* out, int n, int d, cudaStream_t stream) {
    gh_eight<<<(n / 8 + 255) / 256, 256, 0, stream>>>((const uint4*)x, (const uint4*)bias, (uint4*)out, n / 8, d / 8);
}
