// kernelwright: task=../../tasks/relu6_half.py entry=relu6_half args="x, out, x.shape[0]"
// an element a thread, computed in floats
#include <cuda_fp16.h>

__global__ void r6_float(const __half* x, __half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2half(fminf(fmaxf(__half2float(x[i]) * 1.5f + 0.25f, 0.f), 6.f));
}
extern "C" void relu6_half(const __half* x, __half* out, int n, cudaStream_t stream) {
    r6_float<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
