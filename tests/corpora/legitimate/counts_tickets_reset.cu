// Persistent blocks draw tickets; the last resets the counters.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cuda_runtime.h>

__device__ unsigned ticket, leaving;
__global__ void k(const float* x, float* y, int n) {
    __shared__ unsigned mine;
    for (;;) {
        if (!threadIdx.x) mine = atomicAdd(&ticket, 1u);
        __syncthreads();
        long long at = (long long)mine * 1024;
        __syncthreads();
        if (at >= n) break;
        for (int i = threadIdx.x; i < 1024 && at + i < n; i += 256) y[at + i] = fmaxf(x[at + i], 0.0f);
    }
    if (!threadIdx.x && atomicAdd(&leaving, 1u) == gridDim.x - 1) { ticket = 0; leaving = 0; }
}
void relu(const float* x, float* y, int n) { k<<<64, 256>>>(x, y, n); }
