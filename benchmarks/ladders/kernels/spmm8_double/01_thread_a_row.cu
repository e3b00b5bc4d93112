// kernelwright: task=../../tasks/spmm8_double.py entry=spmm8 args="start, col, val, x, out, start.shape[0] - 1"
// a thread a row, eight sums in registers, the matrix read with strides
#include <cuda_runtime.h>

__global__ void sp_row(const int* start, const int* col, const double* val, const double* x, double* out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    double s[8] = {};
    for (int i = start[r]; i < start[r + 1]; i++)
        for (int j = 0; j < 8; j++) s[j] += val[i] * x[(size_t)col[i] * 8 + j];
    for (int j = 0; j < 8; j++) out[(size_t)r * 8 + j] = s[j];
}
extern "C" void spmm8(const int* start, const int* col, const double* val, const double* x, double* out, int rows, cudaStream_t stream) {
    sp_row<<<(rows + 127) / 128, 128, 0, stream>>>(start, col, val, x, out, rows);
}
