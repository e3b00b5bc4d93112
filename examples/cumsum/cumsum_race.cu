// kernelwright: task=cumsum.py entry=cumsum args="x, out, x.shape[0], x.shape[1]"
// Wrong: each step adds its left neighbour in place. Between reading the neighbour and storing the sum a barrier is missing,
// so a thread may read what its neighbour already stored in this very step.
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void cumsum_kernel(const float* x, float* y, int length) {
    __shared__ float chunk[BLOCK];
    const int t = threadIdx.x;
    const float* in = x + (size_t)blockIdx.x * length;
    float* out = y + (size_t)blockIdx.x * length;
    float carry = 0.0f;
    for (int start = 0; start < length; start += BLOCK) {
        chunk[t] = start + t < length ? in[start + t] : 0.0f;
        __syncthreads();
        for (int offset = 1; offset < BLOCK; offset *= 2) {
            if (t >= offset) {
                chunk[t] += chunk[t - offset];  // defect: the neighbour may have stored this step's sum already
            }
            __syncthreads();
        }
        if (start + t < length) {
            out[start + t] = carry + chunk[t];
        }
        carry += chunk[BLOCK - 1];
        __syncthreads();
    }
}

void cumsum(const float* x, float* y, int rows, int length) {
    cumsum_kernel<<<rows, BLOCK>>>(x, y, length);
}
