// kernelwright: task=../../tasks/joint_histogram.py entry=joint args="a, b, out, a.shape[0]"
// an atomic of global memory for each point
#include <cuda_runtime.h>

__global__ void jh_global(const unsigned char* a, const unsigned char* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[(a[i] >> 2) * 64 + (b[i] >> 2)], 1);
}
extern "C" void joint(const unsigned char* a, const unsigned char* b, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096 * sizeof(int), stream);
    jh_global<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
}
