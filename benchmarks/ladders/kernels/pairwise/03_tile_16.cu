// kernelwright: task=../../tasks/pairwise.py entry=pairwise args="a, b, out, a.shape[0]"
// tiles of 16 points in shared memory
#include <cuda_runtime.h>

__global__ void pw_tile(const float* a, const float* b, float* out, int n) {
    __shared__ float as[16][65], bs[16][65];
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    for (int i = t; i < 1024; i += 256) {
        as[i / 64][i % 64] = a[(size_t)blockIdx.y * 1024 + i];
        bs[i / 64][i % 64] = b[(size_t)blockIdx.x * 1024 + i];
    }
    __syncthreads();
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < 64; ++k) { float d = as[y][k] - bs[x][k]; s += d * d; }
    out[(size_t)(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = s;
}
extern "C" void pairwise(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    pw_tile<<<dim3(n / 16, n / 16), dim3(16, 16), 0, stream>>>(a, b, out, n);
}
