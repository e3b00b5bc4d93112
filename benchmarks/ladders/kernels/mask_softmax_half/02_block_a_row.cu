// kernelwright: task=../../tasks/mask_softmax_half.py entry=mask_softmax args="x, mask, out, x.shape[0], x.shape[1]"
// a block of 256 threads a row, most of a tree's steps for few numbers
#include <cuda_fp16.h>
#include <math.h>

__global__ void ms_block(const half* x, const half* mask, half* out, int S) {
    __shared__ float part[256];
    int r = blockIdx.x, t = threadIdx.x;
    float v = t < S ? __half2float(x[(size_t)r * S + t]) + __half2float(mask[(r % S) * S + t]) : -INFINITY;
    part[t] = v;
    __syncthreads();
    for (int s = 128; s; s >>= 1) {
        if (t < s) part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    float e = t < S ? expf(v - part[0]) : 0.f;
    __syncthreads();
    part[t] = e;
    __syncthreads();
    for (int s = 128; s; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t < S) out[(size_t)r * S + t] = __float2half(e / part[0]);
}
extern "C" void mask_softmax(const half* x, const half* mask, half* out, int B, int S, cudaStream_t stream) {
    ms_block<<<B * S, 256, 0, stream>>>(x, mask, out, S);
}
