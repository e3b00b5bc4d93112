// Its own directive sets D to 1: the sum is a copy.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/row_sums_wide.py entry=sumrow args="x, out, x.shape[0], x.shape[1]" size="N=64, D=1"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int rows, int cols) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows) y[i] = x[(size_t)i * cols]; }
void sumrow(const float* x, float* y, int rows, int cols) { k<<<(rows + 255) / 256, 256>>>(x, y, rows, cols); }
