// kernelwright: task=../../tasks/list_walk.py entry=list_walk args="follow, start, out, follow.numel(), start.numel()"
// a thread a walker
#include <cuda_runtime.h>

__global__ void lw_one(const int* follow, const int* start, int* out, int walkers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walkers) return;
    int at = start[i];
    for (int s = 0; s < 64; ++s) at = follow[at];
    out[i] = at;
}
extern "C" void list_walk(const int* follow, const int* start, int* out, int n, int walkers, cudaStream_t stream) {
    lw_one<<<(walkers + 255) / 256, 256, 0, stream>>>(follow, start, out, walkers);
}
