// kernelwright: task=../../tasks/gelu_half.py entry=gelu_half args="x, bias, out, x.numel(), x.shape[1]"
// one element a thread, the function in double precision
#include <cuda_fp16.h>

__global__ void gh_double(const __half* x, const __half* bias, __half* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = (double)__half2float(x[i]) + (double)__half2float(bias[i % d]);
    double e = exp(-1.5957691216057308 * (v + 0.044715 * v * v * v));
    out[i] = __float2half((float)(v / (1.0 + e)));
}
extern "C" void gelu_half(const __half* x, const __half* bias, __half* out, int n, int d, cudaStream_t stream) {
    gh_double<<<(n + 255) / 256, 256, 0, stream>>>(x, bias, out, n, d);
}
