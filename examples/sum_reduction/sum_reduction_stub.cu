// kernelwright: task=sum_reduction.py entry=sum_rows args="x, out, x.shape[0], x.shape[1], x.shape[2]"
#include <cuda_runtime.h>

void sum_rows(const float* x, float* y, int batch, int rows, int columns) {
    // y[b, 0, c] = sum over r of x[b, r, c]
}
