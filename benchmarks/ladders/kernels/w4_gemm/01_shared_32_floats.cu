// kernelwright: task=../../tasks/w4_gemm.py entry=w4gemm args="x, q, scale, out, x.shape[0], q.shape[0], x.shape[1]"
// tiles of 32 as floats in shared memory, four rows a thread
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) w4_floats(const __half* __restrict__ x, const int* __restrict__ q, const float* __restrict__ scale, __half* __restrict__ out, int n, int k) {
    __shared__ float xs[32][32], ws[32][33];
    int c = threadIdx.x % 32, r = threadIdx.x / 32, m0 = blockIdx.y * 32, n0 = blockIdx.x * 32, t = threadIdx.x;
    float acc[4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 4; ++i) xs[r + 8 * i][c] = __half2float(x[(size_t)(m0 + r + 8 * i) * k + k0 + c]);
        if (t < 128) {
            int v = q[(size_t)(n0 + t / 4) * (k / 8) + k0 / 8 + t % 4];
#pragma unroll
            for (int i = 0; i < 8; ++i) ws[t / 4][t % 4 * 8 + i] = (float)((v >> (4 * i) & 15) - 8);
        }
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 32; ++i) {
            float w = ws[c][i];
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[j] += xs[r + 8 * j][i] * w;
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) out[(size_t)(m0 + r + 8 * j) * n + n0 + c] = __float2half(acc[j] * scale[n0 + c]);
}
extern "C" void w4gemm(const __half* x, const int* q, const float* scale, __half* out, int m, int n, int k, cudaStream_t stream) {
    w4_floats<<<dim3(n / 32, m / 32), 256, 0, stream>>>(x, q, scale, out, n, k);
}
