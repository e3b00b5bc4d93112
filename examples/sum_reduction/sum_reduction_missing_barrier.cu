// kernelwright: task=sum_reduction.py entry=sum_rows args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// Wrong: each step of the tree reads what other warps stored in the step before, with no barrier in between.
#include <cuda_runtime.h>

#define BLOCK 128

__global__ void sum_kernel(const float* x, float* y, int rows, int columns) {
    __shared__ float partial[BLOCK];
    const int t = threadIdx.x;
    const float* in = x + (size_t)blockIdx.y * rows * columns + blockIdx.x;
    float sum = 0.0f;
    for (int r = t; r < rows; r += BLOCK) {
        sum += in[(size_t)r * columns];
    }
    partial[t] = sum;  // defect: read by the loop below before a barrier
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            partial[t] += partial[t + half];  // defect: __syncthreads() is missing in this loop
        }
    }
    if (t == 0) {
        y[(size_t)blockIdx.y * columns + blockIdx.x] = partial[0];
    }
}

void sum_rows(const float* x, float* y, int batch, int rows, int columns) {
    sum_kernel<<<dim3(columns, batch), BLOCK>>>(x, y, rows, columns);
}
