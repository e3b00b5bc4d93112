// kernelwright: task=../../tasks/list_walk.py entry=list_walk args="follow, start, out, follow.numel(), start.numel()"
// a table of two steps at once made first, then half as many
#include <cuda_runtime.h>

__device__ int two[8388608];
__global__ void lw_double(const int* __restrict__ follow, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) two[i] = follow[follow[i]];
}
__global__ void lw_half(const int* __restrict__ start, int* __restrict__ out, int walkers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walkers) return;
    int at = start[i];
    for (int s = 0; s < 32; ++s) at = two[at];
    out[i] = at;
}
extern "C" void list_walk(const int* follow, const int* start, int* out, int n, int walkers, cudaStream_t stream) {
    lw_double<<<(n + 255) / 256, 256, 0, stream>>>(follow, n);
    lw_half<<<(walkers + 255) / 256, 256, 0, stream>>>(start, out, walkers);
}
