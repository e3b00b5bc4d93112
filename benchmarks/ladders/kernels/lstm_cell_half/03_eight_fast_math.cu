// kernelwright: task=../../tasks/lstm_cell_half.py entry=lstm args="gx, gh, bias, c, out, c.shape[0], c.shape[1]"
// eight cells a thread, 16 bytes a load, fast exponentials
#include <cuda_fp16.h>

__device__ __forceinline__ float lc_fast(float x) {
    return __fdividef(1.f, 1.f + __expf(-x));
}
__device__ __forceinline__ void lc_add(float (&v)[8], const __half* __restrict__ p) {
    uint4 q = *(const uint4*)p;
    const __half2* h = (const __half2*)&q;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 f = __half22float2(h[i]);
        v[2 * i] += f.x;
        v[2 * i + 1] += f.y;
    }
}
__device__ __forceinline__ void lc_store(__half* p, const float (&v)[8]) {
    uint4 q;
    __half2* h = (__half2*)&q;
#pragma unroll
    for (int i = 0; i < 4; ++i) h[i] = __floats2half2_rn(v[2 * i], v[2 * i + 1]);
    *(uint4*)p = q;
}
__global__ void __launch_bounds__(128) lc_eight(const __half* __restrict__ gx, const __half* __restrict__ gh, const __half* __restrict__ bias, const __half* __restrict__ c, __half* __restrict__ out, int h, int total) {
    int j = threadIdx.x * 8;
    size_t row = (size_t)blockIdx.x * h;
    float v[4][8] = {}, n[8] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        lc_add(v[k], gx + row * 4 + k * h + j);
        lc_add(v[k], gh + row * 4 + k * h + j);
        lc_add(v[k], bias + k * h + j);
    }
    lc_add(n, c + row + j);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        n[i] = lc_fast(v[1][i]) * n[i] + lc_fast(v[0][i]) * (2.f * lc_fast(2.f * v[2][i]) - 1.f);
        v[0][i] = lc_fast(v[3][i]) * (2.f * lc_fast(2.f * n[i]) - 1.f);
    }
    lc_store(out + row + j, v[0]);
    lc_store(out + total + row + j, n);
}
extern "C" void lstm(const __half* gx, const __half* gh, const __half* bias, const __half* c, __half* out, int b, int h, cudaStream_t stream) {
    lc_eight<<<b, h / 8, 0, stream>>>(gx, gh, bias, c, out, h, b * h);
}
