#include <cuda_runtime.h>

__device__ float sums[4096];
__constant__ float factors[32];
// Every block of 32 adds to a place of its own; eight blocks meet at one line with `near`, else all at one place.
__global__ void add(const float* x, int near) {
    atomicAdd(&sums[near ? blockIdx.x * 4 : 0], x[blockIdx.x * 32 + threadIdx.x] * factors[threadIdx.x]);
}
extern "C" void run(const float* x, float* out, int near) {
    add<<<1024, 32>>>(x, near);
}
