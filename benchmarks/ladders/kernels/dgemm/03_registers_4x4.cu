// kernelwright: task=../../tasks/dgemm.py entry=dgemm args="a, b, out, a.shape[0]"
// 64 x 64 outputs a block, four by four in the registers of a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) dg_four(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ out, int n) {
    __shared__ double as[16][66];
    __shared__ __align__(16) double bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    double acc[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            as[tx][ty + 16 * i] = a[(size_t)(r0 + ty + 16 * i) * n + k0 + tx];
            bs[t / 64 + 4 * i][t % 64] = b[(size_t)(k0 + t / 64 + 4 * i) * n + c0 + t % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            double x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) x[i] = as[k][ty + 16 * i];
#pragma unroll
            for (int i = 0; i < 4; ++i) y[i] = bs[k][tx + 16 * i];
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) out[(size_t)(r0 + ty + 16 * i) * n + c0 + tx + 16 * j] = acc[i][j];
}
extern "C" void dgemm(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    dg_four<<<dim3(n / 64, n / 64), 256, 0, stream>>>(a, b, out, n);
}
