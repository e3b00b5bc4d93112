// kernelwright: task=sum_reduction.py entry=sum_rows args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// One thread an output element: neighbours read neighbouring columns.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* y, int batch, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * columns) {
        return;
    }
    const float* in = x + (size_t)(i / columns) * rows * columns + i % columns;
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r) {
        sum += in[(size_t)r * columns];
    }
    y[i] = sum;
}

void sum_rows(const float* x, float* y, int batch, int rows, int columns) {
    sum_kernel<<<(batch * columns + 255) / 256, 256>>>(x, y, batch, rows, columns);
}
