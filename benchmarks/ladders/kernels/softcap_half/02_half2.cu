// kernelwright: task=../../tasks/softcap_half.py entry=softcap args="x, out, x.numel()"
// two elements a thread, a product instead of the division
#include <cuda_fp16.h>

__global__ void sc_two(const __half2* x, __half2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v = __half22float2(x[i]);
    out[i] = __floats2half2_rn(30.f * tanhf(v.x * (1.f / 30.f)), 30.f * tanhf(v.y * (1.f / 30.f)));
}
extern "C" void softcap(const __half* x, __half* out, int n, cudaStream_t stream) {
    sc_two<<<(n / 2 + 255) / 256, 256, 0, stream>>>((const __half2*)x, (__half2*)out, n / 2);
}
