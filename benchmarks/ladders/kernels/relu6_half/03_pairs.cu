// kernelwright: task=../../tasks/relu6_half.py entry=relu6_half args="x, out, x.shape[0]"
// a pair a thread, computed in pairs of halves
#include <cuda_fp16.h>

__global__ void r6_pairs(const __half2* x, __half2* out, int n2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        __half2 v = __hfma2(x[i], __float2half2_rn(1.5f), __float2half2_rn(0.25f));
        out[i] = __hmin2(__hmax2(v, __float2half2_rn(0.f)), __float2half2_rn(6.f));
    }
}
extern "C" void relu6_half(const __half* x, __half* out, int n, cudaStream_t stream) {
    r6_pairs<<<(n / 2 + 255) / 256, 256, 0, stream>>>((const __half2*)x, (__half2*)out, n / 2);
}
