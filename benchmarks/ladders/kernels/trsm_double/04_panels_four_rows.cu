// kernelwright: task=../../tasks/trsm_double.py entry=trsm args="lower, b, out, b.shape[1]"
// panels of 32 rows, inverses of the diagonal taken once, four rows a warp at a time, the solved panel's values in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ts_rows(const double* __restrict__ l, const double* __restrict__ b, double* __restrict__ out, int m) {
    extern __shared__ double mem[];
    double(*x)[32] = (double(*)[32])mem;
    double(*d)[33] = (double(*)[33])(mem + 256 * 32);
    int c = threadIdx.x % 32, w = threadIdx.x / 32, col = blockIdx.x * 32 + c;
    for (int i = w; i < 256; i += 8) x[i][c] = b[(size_t)i * m + col];
    for (int p = 0; p < 256; p += 32) {
        for (int i = w; i < 32; i += 8) {
            double v = l[(p + i) * 256 + p + c];
            d[i][c] = i == c ? 1.0 / v : v;
        }
        __syncthreads();
        if (w == 0) {
            double y[32];
#pragma unroll
            for (int i = 0; i < 32; ++i) y[i] = x[p + i][c];
#pragma unroll
            for (int k = 0; k < 32; ++k) {
                y[k] *= d[k][k];
#pragma unroll
                for (int i = k + 1; i < 32; ++i) y[i] -= d[i][k] * y[k];
            }
#pragma unroll
            for (int i = 0; i < 32; ++i) x[p + i][c] = y[i];
        }
        __syncthreads();
        for (int i = p + 32 + w * 4; i < 256; i += 32) {
            double s0 = x[i][c], s1 = x[i + 1][c], s2 = x[i + 2][c], s3 = x[i + 3][c];
            const double2* row = (const double2*)(l + i * 256 + p);
#pragma unroll 4
            for (int k = 0; k < 16; ++k) {
                double u = x[p + 2 * k][c], v = x[p + 2 * k + 1][c];
                double2 a0 = row[k], a1 = row[128 + k], a2 = row[256 + k], a3 = row[384 + k];
                s0 -= a0.x * u + a0.y * v;
                s1 -= a1.x * u + a1.y * v;
                s2 -= a2.x * u + a2.y * v;
                s3 -= a3.x * u + a3.y * v;
            }
            x[i][c] = s0;
            x[i + 1][c] = s1;
            x[i + 2][c] = s2;
            x[i + 3][c] = s3;
        }
        __syncthreads();
    }
    for (int i = w; i < 256; i += 8) out[(size_t)i * m + col] = x[i][c];
}
extern "C" void trsm(const double* l, const double* b, double* out, int m, cudaStream_t stream) {
    const int bytes = (256 * 32 + 32 * 33) * 8;
    cudaFuncSetAttribute(ts_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    ts_rows<<<m / 32, 256, bytes, stream>>>(l, b, out, m);
}
