// kernelwright: task=../../tasks/byte_histogram.py entry=byte_histogram args="x, out, x.shape[0]"
// a histogram a block in shared memory, byte by byte
#include <cuda_runtime.h>

__global__ void bh_bytes(const unsigned char* x, int* out, int n) {
    __shared__ int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[x[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}
extern "C" void byte_histogram(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 1024, stream);
    bh_bytes<<<1056, 256, 0, stream>>>(x, out, n);
}
