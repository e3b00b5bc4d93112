// kernelwright: task=../../tasks/bmm_small.py entry=bmm_small args="a, b, out, a.shape[0]"
// 64 threads a product, four by four outputs a thread, four products a block
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) bs_four(const float4* a, const float4* b, float4* out) {
    __shared__ __align__(16) float as[4][32][36], bs[4][32][32];
    int m = threadIdx.x / 64, t = threadIdx.x % 64, x = t % 8, y = t / 8;
    size_t base = ((size_t)blockIdx.x * 4 + m) * 256;
#pragma unroll
    for (int i = t; i < 256; i += 64) {
        *(float4*)&as[m][i / 8][i % 8 * 4] = a[base + i];
        *(float4*)&bs[m][i / 8][i % 8 * 4] = b[base + i];
    }
    __syncthreads();
    float s[4][4] = {};
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        float4 q = *(float4*)&bs[m][k][x * 4];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            float p = as[m][y * 4 + r][k];
            s[r][0] += p * q.x; s[r][1] += p * q.y; s[r][2] += p * q.z; s[r][3] += p * q.w;
        }
    }
    for (int r = 0; r < 4; ++r) out[base + (y * 4 + r) * 8 + x] = make_float4(s[r][0], s[r][1], s[r][2], s[r][3]);
}
extern "C" void bmm_small(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    bs_four<<<n / 4, 256, 0, stream>>>((const float4*)a, (const float4*)b, (float4*)out);
}
