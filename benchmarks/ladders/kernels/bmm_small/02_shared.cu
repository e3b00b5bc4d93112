// kernelwright: task=../../tasks/bmm_small.py entry=bmm_small args="a, b, out, a.shape[0]"
// a block of 1024 a product, both matrices in shared memory
#include <cuda_runtime.h>

__global__ void bs_shared(const float* a, const float* b, float* out) {
    __shared__ float as[32][32], bs[32][32];
    size_t base = (size_t)blockIdx.x * 1024;
    int x = threadIdx.x, y = threadIdx.y;
    as[y][x] = a[base + y * 32 + x];
    bs[y][x] = b[base + y * 32 + x];
    __syncthreads();
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < 32; ++k) s += as[y][k] * bs[k][x];
    out[base + y * 32 + x] = s;
}
extern "C" void bmm_small(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    bs_shared<<<n, dim3(32, 32), 0, stream>>>(a, b, out);
}
