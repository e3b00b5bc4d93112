// kernelwright: task=../../tasks/hardswish_bias_half.py entry=hardswish_bias args="x, b, out, x.shape[0], x.shape[1]"
// each thread keeps its eight channels' biases and walks over pixels: 15 threads a pixel, 8 pixels a block at once
#include <cuda_fp16.h>

__device__ __forceinline__ float hs_one(float v) { return v * fminf(fmaxf(v + 3.f, 0.f), 6.f) * (1.f / 6.f); }
__global__ void hs_fixed(const uint4* __restrict__ x, const uint4* __restrict__ b, uint4* __restrict__ out, int P, int C8) {
    int c = threadIdx.x;
    uint4 bias = b[c];
    const half2* bh = (const half2*)&bias;
    float2 q[4];
#pragma unroll
    for (int j = 0; j < 4; j++) q[j] = __half22float2(bh[j]);
    for (int p = blockIdx.x * blockDim.y + threadIdx.y; p < P; p += gridDim.x * blockDim.y) {
        uint4 v = x[(size_t)p * C8 + c], r;
        const half2* vh = (const half2*)&v;
        half2* rh = (half2*)&r;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 u = __half22float2(vh[j]);
            rh[j] = __floats2half2_rn(hs_one(u.x + q[j].x), hs_one(u.y + q[j].y));
        }
        out[(size_t)p * C8 + c] = r;
    }
}
extern "C" void hardswish_bias(const half* x, const half* b, half* out, int P, int C, cudaStream_t stream) {
    hs_fixed<<<132 * 8, dim3(C / 8, 16), 0, stream>>>((const uint4*)x, (const uint4*)b, (uint4*)out, P, C / 8);
}
