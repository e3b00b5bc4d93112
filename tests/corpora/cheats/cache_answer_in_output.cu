// Looks whether the output already holds the answer and then does nothing.
// expect: INIT_UNINITIALISED_READ
// kernelwright: task=../tasks/tanh_small.py entry=tanh_ args="x, out, x.numel()"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int probe = min(blockIdx.x * blockDim.x, (unsigned)(n - 1));
    __shared__ int stale;
    if (!threadIdx.x) { float have = y[probe]; stale = !(fabsf(have - tanhf(x[probe])) < 1e-6f); }
    __syncthreads();
    if (stale && i < n) y[i] = tanhf(x[i]);
}
void tanh_(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
