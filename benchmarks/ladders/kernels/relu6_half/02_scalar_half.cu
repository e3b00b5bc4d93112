// kernelwright: task=../../tasks/relu6_half.py entry=relu6_half args="x, out, x.shape[0]"
// an element a thread, computed in halves
#include <cuda_fp16.h>

__global__ void r6_half(const __half* x, __half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __hmin(__hmax(__hfma(x[i], __float2half(1.5f), __float2half(0.25f)), __float2half(0.f)), __float2half(6.f));
}
extern "C" void relu6_half(const __half* x, __half* out, int n, cudaStream_t stream) {
    r6_half<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
