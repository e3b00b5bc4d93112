// kernelwright: task=../../tasks/trsm_double.py entry=trsm args="lower, b, out, b.shape[1]"
// sixteen columns a block in shared memory, every solved row subtracted from those below: two barriers a row
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ts_right(const double* __restrict__ l, const double* __restrict__ b, double* __restrict__ out, int m) {
    __shared__ double x[256][16];
    int c = threadIdx.x % 16, r = threadIdx.x / 16, col = blockIdx.x * 16 + c;
    for (int i = r; i < 256; i += 16) x[i][c] = b[(size_t)i * m + col];
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
        if (r == 0) x[k][c] /= l[k * 256 + k];
        __syncthreads();
        double v = x[k][c];
        for (int i = k + 1 + r; i < 256; i += 16) x[i][c] -= l[i * 256 + k] * v;
        __syncthreads();
    }
    for (int i = r; i < 256; i += 16) out[(size_t)i * m + col] = x[i][c];
}
extern "C" void trsm(const double* l, const double* b, double* out, int m, cudaStream_t stream) {
    ts_right<<<m / 16, 256, 0, stream>>>(l, b, out, m);
}
