// kernelwright: task=../../tasks/fletcher64.py entry=fletcher args="x, out, x.numel()"
// four integers a load, 1056 blocks walk, two atomics a block
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fl_walk(const int4* __restrict__ x, unsigned long long* out, int n4) {
    __shared__ long long s[8], w[8];
    long long a = 0, b = 0;
#pragma unroll 4
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
        int4 v = x[i];
        long long left = (n4 - i) * 4LL;
        a += (long long)v.x + v.y + v.z + v.w;
        b += v.x * left + v.y * (left - 1) + v.z * (left - 2) + v.w * (left - 3);
    }
    for (int o = 16; o; o /= 2) {
        a += __shfl_down_sync(~0u, a, o);
        b += __shfl_down_sync(~0u, b, o);
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = a;
        w[threadIdx.x / 32] = b;
    }
    __syncthreads();
    if (threadIdx.x) return;
    for (int k = 1; k < 8; ++k) {
        a += s[k];
        b += w[k];
    }
    atomicAdd(&out[0], (unsigned long long)a);
    atomicAdd(&out[1], (unsigned long long)b);
}
extern "C" void fletcher(const int* x, long long* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 16, stream);
    fl_walk<<<1056, 256, 0, stream>>>((const int4*)x, (unsigned long long*)out, n / 4);
}
