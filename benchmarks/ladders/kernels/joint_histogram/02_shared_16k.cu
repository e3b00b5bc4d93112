// kernelwright: task=../../tasks/joint_histogram.py entry=joint args="a, b, out, a.shape[0]"
// counts of a block in 16 KiB of shared memory, 264 blocks of 512
#include <cuda_runtime.h>

__global__ void jh_shared(const unsigned char* a, const unsigned char* b, int* out, int n) {
    __shared__ int h[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) h[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&h[(a[i] >> 2) * 64 + (b[i] >> 2)], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (h[i]) atomicAdd(&out[i], h[i]);
}
extern "C" void joint(const unsigned char* a, const unsigned char* b, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096 * sizeof(int), stream);
    jh_shared<<<264, 512, 0, stream>>>(a, b, out, n);
}
