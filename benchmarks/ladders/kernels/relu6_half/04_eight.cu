// kernelwright: task=../../tasks/relu6_half.py entry=relu6_half args="x, out, x.shape[0]"
// eight elements a thread by 16-byte accesses, computed in pairs
#include <cuda_fp16.h>

__global__ void r6_eight(const uint4* x, uint4* out, int n8) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    uint4 v = x[i];
    __half2* h = (__half2*)&v;
#pragma unroll
    for (int j = 0; j < 4; ++j)
        h[j] = __hmin2(__hmax2(__hfma2(h[j], __float2half2_rn(1.5f), __float2half2_rn(0.25f)), __float2half2_rn(0.f)), __float2half2_rn(6.f));
    out[i] = v;
}
extern "C" void relu6_half(const __half* x, __half* out, int n, cudaStream_t stream) {
    r6_eight<<<(n / 8 + 255) / 256, 256, 0, stream>>>((const uint4*)x, (uint4*)out, n / 8);
}
