// kernelwright: task=../../tasks/spmm8_double.py entry=spmm8 args="start, col, val, x, out, start.shape[0] - 1"
// a thread an output: eight neighbours read one entry and a row of x of 64 bytes
#include <cuda_runtime.h>

__global__ void sp_eight(const int* __restrict__ start, const int* __restrict__ col, const double* __restrict__ val, const double* __restrict__ x, double* __restrict__ out, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = i / 8, j = i % 8;
    if (r >= rows) return;
    double s = 0.0;
    int end = start[r + 1];
    for (int e = start[r]; e < end; e++) s += val[e] * x[(size_t)col[e] * 8 + j];
    out[i] = s;
}
extern "C" void spmm8(const int* start, const int* col, const double* val, const double* x, double* out, int rows, cudaStream_t stream) {
    sp_eight<<<(rows * 8 + 255) / 256, 256, 0, stream>>>(start, col, val, x, out, rows);
}
