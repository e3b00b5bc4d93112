// kernelwright: task=../../tasks/bmm_small.py entry=bmm_small args="a, b, out, a.shape[0]"
// a block of 1024 a product, all from global memory
#include <cuda_runtime.h>

__global__ void bs_global(const float* a, const float* b, float* out) {
    size_t base = (size_t)blockIdx.x * 1024;
    int x = threadIdx.x, y = threadIdx.y;
    float s = 0.f;
    for (int k = 0; k < 32; ++k) s += a[base + y * 32 + k] * b[base + k * 32 + x];
    out[base + y * 32 + x] = s;
}
extern "C" void bmm_small(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    bs_global<<<n, dim3(32, 32), 0, stream>>>(a, b, out);
}
