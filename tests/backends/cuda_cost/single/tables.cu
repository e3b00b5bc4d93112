#include <cuda_runtime.h>

__constant__ float factors[1024];
// One word of constant memory for all lanes, or 32; loads whose lanes meet in one bank, or lie in as many lines without.
__global__ void look(const float* x, float* out, int apart, int stride) {
    float v = factors[apart * threadIdx.x] + x[stride * threadIdx.x];
    out[threadIdx.x] = v;
}
__global__ void largest(const int* x, int* out) { atomicMax(out, x[blockIdx.x * 32 + threadIdx.x]); }
// The same beside others, each of which has a place of its own.
__global__ void largest_and_own(const int* x, int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    atomicMax(out, x[i]);
    atomicCAS(&out[32 + i], 0, 1);
}
extern "C" void run(const void* x, void* out, int apart, int stride, int blocks) {
    if (blocks && apart) largest_and_own<<<blocks, 32>>>((const int*)x, (int*)out);
    else if (blocks) largest<<<blocks, 32>>>((const int*)x, (int*)out);
    else look<<<1, 32>>>((const float*)x, (float*)out, apart, stride);
}
