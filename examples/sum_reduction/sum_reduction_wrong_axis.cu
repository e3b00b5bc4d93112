// kernelwright: task=sum_reduction.py entry=sum_rows args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// Wrong: sums over the last dimension, and cuts the result to the size of the other.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* y, int batch, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * columns) {
        return;
    }
    const int b = i / columns;
    const int r = (i % columns) % rows;
    const float* in = x + ((size_t)b * rows + r) * columns;
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) {
        sum += in[c];
    }
    y[i] = sum;  // defect: a sum along columns, where the task asks for rows
}

void sum_rows(const float* x, float* y, int batch, int rows, int columns) {
    sum_kernel<<<(batch * columns + 255) / 256, 256>>>(x, y, batch, rows, columns);
}
