// kernelwright: task=../../tasks/trsm_double.py entry=trsm args="lower, b, out, b.shape[1]"
// panels of 32 rows: one warp solves the triangle, eight subtract the product from the rows below
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ts_panels(const double* __restrict__ l, const double* __restrict__ b, double* __restrict__ out, int m) {
    extern __shared__ double mem[];
    double(*x)[32] = (double(*)[32])mem;
    double(*d)[33] = (double(*)[33])(mem + 256 * 32);
    int c = threadIdx.x % 32, w = threadIdx.x / 32, col = blockIdx.x * 32 + c;
    for (int i = w; i < 256; i += 8) x[i][c] = b[(size_t)i * m + col];
    for (int p = 0; p < 256; p += 32) {
        for (int i = w; i < 32; i += 8) d[i][c] = l[(p + i) * 256 + p + c];
        __syncthreads();
        if (w == 0)
            for (int i = 0; i < 32; ++i) {
                double s = x[p + i][c];
                for (int k = 0; k < i; ++k) s -= d[i][k] * x[p + k][c];
                x[p + i][c] = s / d[i][i];
            }
        __syncthreads();
        for (int i = p + 32 + w; i < 256; i += 8) {
            double s = x[i][c];
#pragma unroll 8
            for (int k = 0; k < 32; ++k) s -= l[i * 256 + p + k] * x[p + k][c];
            x[i][c] = s;
        }
    }
    __syncthreads();
    for (int i = w; i < 256; i += 8) out[(size_t)i * m + col] = x[i][c];
}
extern "C" void trsm(const double* l, const double* b, double* out, int m, cudaStream_t stream) {
    const int bytes = (256 * 32 + 32 * 33) * 8;
    cudaFuncSetAttribute(ts_panels, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    ts_panels<<<m / 32, 256, bytes, stream>>>(l, b, out, m);
}
