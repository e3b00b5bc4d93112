// kernelwright: task=../../tasks/hardswish_bias_half.py entry=hardswish_bias args="x, b, out, x.shape[0], x.shape[1]"
// sixteen bytes a thread; C a multiple of 8
#include <cuda_fp16.h>

__device__ __forceinline__ float hs_one(float v) { return v * fminf(fmaxf(v + 3.f, 0.f), 6.f) * (1.f / 6.f); }
__global__ void hs_eight(const uint4* __restrict__ x, const uint4* __restrict__ b, uint4* __restrict__ out, int n8, int C8) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    uint4 v = x[i], c = __ldg(b + i % C8), r;
    const half2* vh = (const half2*)&v;
    const half2* ch = (const half2*)&c;
    half2* rh = (half2*)&r;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float2 p = __half22float2(vh[j]), q = __half22float2(ch[j]);
        rh[j] = __floats2half2_rn(hs_one(p.x + q.x), hs_one(p.y + q.y));
    }
    out[i] = r;
}
extern "C" void hardswish_bias(const half* x, const half* b, half* out, int P, int C, cudaStream_t stream) {
    int n8 = P * C / 8;
    hs_eight<<<(n8 + 255) / 256, 256, 0, stream>>>((const uint4*)x, (const uint4*)b, (uint4*)out, n8, C / 8);
}
