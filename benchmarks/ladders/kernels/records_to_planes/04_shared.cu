// kernelwright: task=../../tasks/records_to_planes.py entry=records_to_planes args="x, out, x.shape[0]"
// 256 records through shared memory, element by element
#include <cuda_runtime.h>

__global__ void rp_shared(const float* x, float* out, int n) {
    __shared__ float s[256 * 7];
    size_t base = (size_t)blockIdx.x * 256;
    for (int i = threadIdx.x; i < 1792; i += 256) s[i] = x[base * 7 + i];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 7; ++j) out[(size_t)j * n + base + threadIdx.x] = s[threadIdx.x * 7 + j];
}
extern "C" void records_to_planes(const float* x, float* out, int n, cudaStream_t stream) {
    rp_shared<<<n / 256, 256, 0, stream>>>(x, out, n);
}
