// kernelwright: task=../../tasks/gelu_half.py entry=gelu_half args="x, bias, out, x.numel(), x.shape[1]"
// the bias by one launch, the function by another
#include <cuda_fp16.h>

__device__ __forceinline__ float gelu(float v) {
    float u = 1.5957691216f * (v + 0.044715f * v * v * v);
    return __fdividef(v, 1.f + __expf(-u));
}
__global__ void gh_bias(const uint4* x, const uint4* bias, uint4* out, int n8, int d8) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    uint4 v = x[i], b = bias[i % d8];
    __half2 *hv = (__half2*)&v, *hb = (__half2*)&b;
    for (int j = 0; j < 4; ++j) hv[j] = __hadd2(hv[j], hb[j]);
    out[i] = v;
}
__global__ void gh_act(uint4* out, int n8) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    uint4 v = out[i];
    __half2* hv = (__half2*)&v;
    for (int j = 0; j < 4; ++j) {
        float2 f = __half22float2(hv[j]);
        hv[j] = __floats2half2_rn(gelu(f.x), gelu(f.y));
    }
    out[i] = v;
}
extern "C" void gelu_half(const __half* x, const __half* bias, __half* out, int n, int d, cudaStream_t stream) {
    int blocks = (n / 8 + 127) / 128;
    gh_bias<<<blocks, 128, 0, stream>>>((const uint4*)x, (const uint4*)bias, (uint4*)out, n / 8, d / 8);
    gh_act<<<blocks, 128, 0, stream>>>((uint4*)out, n / 8);
}
