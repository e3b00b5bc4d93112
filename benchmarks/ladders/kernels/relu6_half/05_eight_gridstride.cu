// kernelwright: task=../../tasks/relu6_half.py entry=relu6_half args="x, out, x.shape[0]"
// eight elements an access, 264 blocks of 512 stride over the grid
#include <cuda_fp16.h>

__global__ void r6_stride(const uint4* x, uint4* out, int n8) {
    for (int i = blockIdx.x * 512 + threadIdx.x; i < n8; i += gridDim.x * 512) {
        uint4 v = x[i];
        __half2* h = (__half2*)&v;
        for (int j = 0; j < 4; ++j)
            h[j] = __hmin2(__hmax2(__hfma2(h[j], __float2half2_rn(1.5f), __float2half2_rn(0.25f)), __float2half2_rn(0.f)), __float2half2_rn(6.f));
        out[i] = v;
    }
}
extern "C" void relu6_half(const __half* x, __half* out, int n, cudaStream_t stream) {
    r6_stride<<<264, 512, 0, stream>>>((const uint4*)x, (uint4*)out, n / 8);
}
