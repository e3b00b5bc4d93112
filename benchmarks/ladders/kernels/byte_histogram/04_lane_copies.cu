// kernelwright: task=../../tasks/byte_histogram.py entry=byte_histogram args="x, out, x.shape[0]"
// eight copies of the histogram a block, by lanes, sixteen bytes a load
#include <cuda_runtime.h>

__device__ void bh_spread(int* h, int c, unsigned v) {
    atomicAdd(&h[(v & 255) * 8 + c], 1);
    atomicAdd(&h[(v >> 8 & 255) * 8 + c], 1);
    atomicAdd(&h[(v >> 16 & 255) * 8 + c], 1);
    atomicAdd(&h[(v >> 24) * 8 + c], 1);
}
__global__ void bh_lanes(const uint4* x, int* out, int n16) {
    __shared__ int h[2048];
    for (int j = threadIdx.x; j < 2048; j += 256) h[j] = 0;
    __syncthreads();
    int c = threadIdx.x % 8;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n16; i += gridDim.x * 256) {
        uint4 v = x[i];
        bh_spread(h, c, v.x);
        bh_spread(h, c, v.y);
        bh_spread(h, c, v.z);
        bh_spread(h, c, v.w);
    }
    __syncthreads();
    int s = 0;
    for (int j = 0; j < 8; ++j) s += h[threadIdx.x * 8 + j];
    atomicAdd(&out[threadIdx.x], s);
}
extern "C" void byte_histogram(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 1024, stream);
    bh_lanes<<<1056, 256, 0, stream>>>((const uint4*)x, out, n / 16);
}
