// kernelwright: task=../../tasks/gram.py entry=gram args="x, out, x.shape[0]"
// 512 rows a block of 256, two by two entries a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gr_two(const float* x, float* out) {
    __shared__ __align__(16) float s[32][32];
    int t = threadIdx.x, i = t / 16 * 2, j = t % 16 * 2;
    float v[2][2] = {};
    for (int r0 = blockIdx.x * 512; r0 < blockIdx.x * 512 + 512; r0 += 32) {
        *(float4*)&s[t / 8][t % 8 * 4] = *(const float4*)&x[(size_t)(r0 + t / 8) * 32 + t % 8 * 4];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 32; ++r) {
            float2 a = *(const float2*)&s[r][i], b = *(const float2*)&s[r][j];
            v[0][0] += a.x * b.x; v[0][1] += a.x * b.y;
            v[1][0] += a.y * b.x; v[1][1] += a.y * b.y;
        }
        __syncthreads();
    }
    for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 2; ++q) atomicAdd(&out[(i + p) * 32 + j + q], v[p][q]);
}
extern "C" void gram(const float* x, float* out, int rows, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 4096, stream);
    gr_two<<<rows / 512, 256, 0, stream>>>(x, out);
}
