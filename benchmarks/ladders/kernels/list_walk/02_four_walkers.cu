// kernelwright: task=../../tasks/list_walk.py entry=list_walk args="follow, start, out, follow.numel(), start.numel()"
// four walkers a thread, four loads in flight, fewer warps
#include <cuda_runtime.h>

__global__ void lw_four(const int* __restrict__ follow, const int* __restrict__ start, int* __restrict__ out, int walkers) {
    int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x, at[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) at[k] = i + k * stride < walkers ? start[i + k * stride] : 0;
#pragma unroll 4
    for (int s = 0; s < 64; ++s)
#pragma unroll
        for (int k = 0; k < 4; ++k) at[k] = follow[at[k]];
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (i + k * stride < walkers) out[i + k * stride] = at[k];
}
extern "C" void list_walk(const int* follow, const int* start, int* out, int n, int walkers, cudaStream_t stream) {
    lw_four<<<(walkers + 511) / 512, 128, 0, stream>>>(follow, start, out, walkers);
}
