// kernelwright: task=../../tasks/maxpool_backward.py entry=pool_back args="g, idx, out, g.shape[0], g.shape[1]"
// zeros, then a thread an output and an atomic each
#include <cuda_runtime.h>

__global__ void mb_scatter(const float* g, const int* idx, float* out, int plane, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < total) atomicAdd(out + (size_t)(i / plane) * plane * 4 + idx[i], g[i]);
}
extern "C" void pool_back(const float* g, const int* idx, float* out, int planes, int h, cudaStream_t stream) {
    int total = planes * h * h;
    cudaMemsetAsync(out, 0, (size_t)total * 16, stream);
    mb_scatter<<<(total + 255) / 256, 256, 0, stream>>>(g, idx, out, h * h, total);
}
