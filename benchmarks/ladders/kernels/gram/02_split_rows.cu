// kernelwright: task=../../tasks/gram.py entry=gram args="x, out, x.shape[0]"
// 512 rows a block of 1024, an entry a thread from shared memory, added atomically
#include <cuda_runtime.h>

__global__ void gr_split(const float* x, float* out) {
    __shared__ float s[32][32];
    int j = threadIdx.x, i = threadIdx.y;
    float v = 0.f;
    for (int r0 = blockIdx.x * 512; r0 < blockIdx.x * 512 + 512; r0 += 32) {
        s[i][j] = x[(size_t)(r0 + i) * 32 + j];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 32; ++r) v += s[r][i] * s[r][j];
        __syncthreads();
    }
    atomicAdd(&out[i * 32 + j], v);
}
extern "C" void gram(const float* x, float* out, int rows, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096, stream);
    gr_split<<<rows / 512, dim3(32, 32), 0, stream>>>(x, out);
}
