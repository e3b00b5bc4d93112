// kernelwright: task=../../tasks/gram.py entry=gram args="x, out, x.shape[0]"
// 256 rows a block of 64, four by four entries a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) gr_four(const float* x, float* out) {
    __shared__ __align__(16) float s[64][32];
    int t = threadIdx.x, i = t / 8 * 4, j = t % 8 * 4;
    float v[4][4] = {};
    for (int r0 = blockIdx.x * 256; r0 < blockIdx.x * 256 + 256; r0 += 64) {
#pragma unroll
        for (int k = 0; k < 8; ++k)
            *(float4*)&s[k * 8 + t / 8][t % 8 * 4] = *(const float4*)&x[(size_t)(r0 + k * 8 + t / 8) * 32 + t % 8 * 4];
        __syncthreads();
#pragma unroll 16
        for (int r = 0; r < 64; ++r) {
            float a[4], b[4];
            *(float4*)a = *(const float4*)&s[r][i];
            *(float4*)b = *(const float4*)&s[r][j];
#pragma unroll
            for (int p = 0; p < 4; ++p)
#pragma unroll
                for (int q = 0; q < 4; ++q) v[p][q] += a[p] * b[q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q) atomicAdd(&out[(i + p) * 32 + j + q], v[p][q]);
}
extern "C" void gram(const float* x, float* out, int rows, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096, stream);
    gr_four<<<rows / 256, 64, 0, stream>>>(x, out);
}
