// kernelwright: task=../../tasks/spmm8_double.py entry=spmm8 args="start, col, val, x, out, start.shape[0] - 1"
// as before, four entries a round: four loads of x are under way
#include <cuda_runtime.h>

__global__ void sp_unrolled(const int* __restrict__ start, const int* __restrict__ col, const double* __restrict__ val, const double* __restrict__ x, double* __restrict__ out, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = i / 8, j = i % 8;
    if (r >= rows) return;
    double s = 0.0, u = 0.0;
    int e = start[r], end = start[r + 1];
    for (; e + 3 < end; e += 4) {
        int c0 = col[e], c1 = col[e + 1], c2 = col[e + 2], c3 = col[e + 3];
        double x0 = x[(size_t)c0 * 8 + j], x1 = x[(size_t)c1 * 8 + j], x2 = x[(size_t)c2 * 8 + j], x3 = x[(size_t)c3 * 8 + j];
        s += val[e] * x0 + val[e + 1] * x1;
        u += val[e + 2] * x2 + val[e + 3] * x3;
    }
    for (; e < end; e++) s += val[e] * x[(size_t)col[e] * 8 + j];
    out[i] = s + u;
}
extern "C" void spmm8(const int* start, const int* col, const double* val, const double* x, double* out, int rows, cudaStream_t stream) {
    sp_unrolled<<<(rows * 8 + 255) / 256, 256, 0, stream>>>(start, col, val, x, out, rows);
}
