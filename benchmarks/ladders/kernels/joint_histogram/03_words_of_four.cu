// kernelwright: task=../../tasks/joint_histogram.py entry=joint args="a, b, out, a.shape[0]"
// four points a load of each image, 528 blocks
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) jh_words(const unsigned* __restrict__ a, const unsigned* __restrict__ b, int* __restrict__ out, int n) {
    __shared__ int h[4096];
    for (int i = threadIdx.x; i < 4096; i += 512) h[i] = 0;
    __syncthreads();
    int words = n / 4;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < words; i += gridDim.x * 512) {
        unsigned u = a[i] >> 2 & 0x3f3f3f3fu, v = b[i] >> 2 & 0x3f3f3f3fu;
#pragma unroll
        for (int k = 0; k < 32; k += 8) atomicAdd(&h[(u >> k & 63u) * 64 + (v >> k & 63u)], 1);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        int i = words * 4 + threadIdx.x;
        atomicAdd(&h[(((const unsigned char*)a)[i] >> 2) * 64 + (((const unsigned char*)b)[i] >> 2)], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 512)
        if (h[i]) atomicAdd(&out[i], h[i]);
}
extern "C" void joint(const unsigned char* a, const unsigned char* b, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096 * sizeof(int), stream);
    jh_words<<<528, 512, 0, stream>>>((const unsigned*)a, (const unsigned*)b, out, n);
}
