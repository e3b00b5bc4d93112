// kernelwright: task=cumsum.py entry=cumsum args="x, out, x.shape[0], x.shape[1]"
// Wrong: right within each chunk of 256 elements, but what the chunks before add up to is not carried on.
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void cumsum_kernel(const float* x, float* y, int length) {
    __shared__ float chunk[BLOCK];
    const int t = threadIdx.x;
    const float* in = x + (size_t)blockIdx.x * length;
    float* out = y + (size_t)blockIdx.x * length;
    for (int start = 0; start < length; start += BLOCK) {
        chunk[t] = start + t < length ? in[start + t] : 0.0f;
        __syncthreads();
        for (int offset = 1; offset < BLOCK; offset *= 2) {
            const float before = t >= offset ? chunk[t - offset] : 0.0f;
            __syncthreads();
            chunk[t] += before;
            __syncthreads();
        }
        if (start + t < length) {
            out[start + t] = chunk[t];  // defect: the carry of the chunks before is missing
        }
        __syncthreads();
    }
}

void cumsum(const float* x, float* y, int rows, int length) {
    cumsum_kernel<<<rows, BLOCK>>>(x, y, length);
}
