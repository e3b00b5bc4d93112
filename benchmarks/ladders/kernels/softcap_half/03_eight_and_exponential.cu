// kernelwright: task=../../tasks/softcap_half.py entry=softcap args="x, out, x.numel()"
// eight elements a thread by 16 byte accesses; tanh u = 1 - 2 / (1 + exp 2u) with the fast exponential and division
#include <cuda_fp16.h>

__device__ __forceinline__ float sc_cap(float v) { return 30.f - __fdividef(60.f, 1.f + __expf(v * (2.f / 30.f))); }
__global__ void __launch_bounds__(256) sc_eight(const uint4* __restrict__ x, uint4* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    uint4 q = x[i];
    __half2* h = (__half2*)&q;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float2 v = __half22float2(h[k]);
        h[k] = __floats2half2_rn(sc_cap(v.x), sc_cap(v.y));
    }
    out[i] = q;
}
extern "C" void softcap(const __half* x, __half* out, int n, cudaStream_t stream) {
    sc_eight<<<(n / 8 + 255) / 256, 256, 0, stream>>>((const uint4*)x, (uint4*)out, n / 8);
}
