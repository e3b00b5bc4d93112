// kernelwright: task=../../tasks/fletcher64.py entry=fletcher args="x, out, x.numel()"
// a thread an element, sums of a warp by shuffles, two atomics a warp
#include <cuda_runtime.h>

__global__ void fl_warp(const int* x, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long a = i < n ? x[i] : 0, b = a * (n - i);
    for (int o = 16; o; o /= 2) {
        a += __shfl_down_sync(~0u, a, o);
        b += __shfl_down_sync(~0u, b, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&out[0], (unsigned long long)a);
        atomicAdd(&out[1], (unsigned long long)b);
    }
}
extern "C" void fletcher(const int* x, long long* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 16, stream);
    fl_warp<<<(n + 255) / 256, 256, 0, stream>>>(x, (unsigned long long*)out, n);
}
