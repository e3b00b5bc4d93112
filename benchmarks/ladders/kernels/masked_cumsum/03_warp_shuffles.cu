// kernelwright: task=../../tasks/masked_cumsum.py entry=masked_cumsum args="x, mask, out, x.shape[0], x.shape[1]"
// warp scans by shuffles, sums of warps through shared memory
#include <cuda_runtime.h>

__global__ void mc(const float* __restrict__ x, const unsigned char* __restrict__ mask, float* __restrict__ out, int C) {
    __shared__ float sums[2][16];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    float carry = 0.f;
    int flip = 0;
    for (int c0 = 0; c0 < C; c0 += 512, flip ^= 1) {
        size_t i = (size_t)blockIdx.x * C + c0 + t;
        bool in = c0 + t < C;
        float v = in && mask[i] ? x[i] : 0.f;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float u = __shfl_up_sync(~0u, v, o);
            if (lane >= o) v += u;
        }
        if (lane == 31) sums[flip][warp] = v;
        __syncthreads();
        float before = 0.f, all = 0.f;
#pragma unroll
        for (int w = 0; w < 16; w++) {
            float s = sums[flip][w];
            if (w < warp) before += s;
            all += s;
        }
        if (in) out[i] = carry + before + v;
        carry += all;
    }
}
extern "C" void masked_cumsum(const float* x, const unsigned char* mask, float* out, int R, int C, cudaStream_t stream) {
    mc<<<R, 512, 0, stream>>>(x, mask, out, C);
}
