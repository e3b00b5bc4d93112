// kernelwright: task=../../tasks/masked_cumsum.py entry=masked_cumsum args="x, mask, out, x.shape[0], x.shape[1]"
// float4 and uchar4, four elements a thread (C a multiple of 4), 256 threads
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) mc(const float4* __restrict__ x, const uchar4* __restrict__ mask, float4* __restrict__ out, int C4) {
    __shared__ float sums[2][8];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    float carry = 0.f;
    int flip = 0;
    for (int c0 = 0; c0 < C4; c0 += 256, flip ^= 1) {
        size_t i = (size_t)blockIdx.x * C4 + c0 + t;
        bool in = c0 + t < C4;
        float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
        if (in) {
            float4 a = x[i];
            uchar4 m = mask[i];
            v.x = m.x ? a.x : 0.f;
            v.y = v.x + (m.y ? a.y : 0.f);
            v.z = v.y + (m.z ? a.z : 0.f);
            v.w = v.z + (m.w ? a.w : 0.f);
        }
        float s = v.w;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float u = __shfl_up_sync(~0u, s, o);
            if (lane >= o) s += u;
        }
        if (lane == 31) sums[flip][warp] = s;
        __syncthreads();
        float before = carry + s - v.w;
#pragma unroll
        for (int w = 0; w < 8; w++) {
            if (w < warp) before += sums[flip][w];
            carry += sums[flip][w];
        }
        if (in) out[i] = make_float4(before + v.x, before + v.y, before + v.z, before + v.w);
    }
}
extern "C" void masked_cumsum(const float* x, const unsigned char* mask, float* out, int R, int C, cudaStream_t stream) {
    mc<<<R, 256, 0, stream>>>((const float4*)x, (const uchar4*)mask, (float4*)out, C / 4);
}
