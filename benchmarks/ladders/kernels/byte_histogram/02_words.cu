// kernelwright: task=../../tasks/byte_histogram.py entry=byte_histogram args="x, out, x.shape[0]"
// a histogram a block, four bytes a load
#include <cuda_runtime.h>

__global__ void bh_words(const unsigned* x, int* out, int n4) {
    __shared__ int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
        unsigned v = x[i];
        atomicAdd(&h[v & 255], 1);
        atomicAdd(&h[v >> 8 & 255], 1);
        atomicAdd(&h[v >> 16 & 255], 1);
        atomicAdd(&h[v >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}
extern "C" void byte_histogram(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 1024, stream);
    bh_words<<<1056, 256, 0, stream>>>((const unsigned*)x, out, n / 4);
}
