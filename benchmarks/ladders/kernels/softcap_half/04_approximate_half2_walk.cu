// kernelwright: task=../../tasks/softcap_half.py entry=softcap args="x, out, x.numel()"
// the special unit's tanh of two halves at once, 1056 blocks walk over the vectors
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned sc_tanh2(unsigned v) {
    unsigned r;
    asm("tanh.approx.f16x2 %0, %1;" : "=r"(r) : "r"(v));
    return r;
}
__global__ void __launch_bounds__(256) sc_walk(const uint4* __restrict__ x, uint4* __restrict__ out, int n) {
    const __half2 down = __float2half2_rn(1.f / 30.f), up = __float2half2_rn(30.f);
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        uint4 q = x[i];
        unsigned* w = &q.x;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            __half2 v = __hmul2(*(__half2*)&w[k], down);
            unsigned r = sc_tanh2(*(unsigned*)&v);
            v = __hmul2(*(__half2*)&r, up);
            w[k] = *(unsigned*)&v;
        }
        out[i] = q;
    }
}
extern "C" void softcap(const __half* x, __half* out, int n, cudaStream_t stream) {
    sc_walk<<<1056, 256, 0, stream>>>((const uint4*)x, (uint4*)out, n / 8);
}
