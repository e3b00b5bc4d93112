// kernelwright: task=../../tasks/byte_histogram.py entry=byte_histogram args="x, out, x.shape[0]"
// a histogram a block, sixteen bytes a load
#include <cuda_runtime.h>

__device__ void bh_four(int* h, unsigned v) {
    atomicAdd(&h[v & 255], 1);
    atomicAdd(&h[v >> 8 & 255], 1);
    atomicAdd(&h[v >> 16 & 255], 1);
    atomicAdd(&h[v >> 24], 1);
}
__global__ void bh_sixteen(const uint4* x, int* out, int n16) {
    __shared__ int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n16; i += gridDim.x * 256) {
        uint4 v = x[i];
        bh_four(h, v.x);
        bh_four(h, v.y);
        bh_four(h, v.z);
        bh_four(h, v.w);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}
extern "C" void byte_histogram(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 1024, stream);
    bh_sixteen<<<1056, 256, 0, stream>>>((const uint4*)x, out, n / 16);
}
