#include <cuda_runtime.h>
#include "timing.h"
constexpr int ROWS = 1024, COLUMNS = 256;

__global__ void row_scan(const float* x, float* y) {
    __shared__ float values[2][COLUMNS];
    int i = threadIdx.x, from = 0;
    values[0][i] = x[blockIdx.x * COLUMNS + i];
    __syncthreads();
    for (int step = 1; step < COLUMNS; step *= 2) {
        values[1 - from][i] = values[from][i] + (i >= step ? values[from][i - step] : 0.0f);
        from = 1 - from;
        __syncthreads();
    }
    y[blockIdx.x * COLUMNS + i] = values[from][i];
}

int main() {
    float *x, *y;
    cudaMalloc(&x, ROWS * COLUMNS * sizeof(float));
    cudaMalloc(&y, ROWS * COLUMNS * sizeof(float));
    cudaMemset(x, 0, ROWS * COLUMNS * sizeof(float));
    report([&] {
        row_scan<<<ROWS, COLUMNS>>>(x, y);
        cudaDeviceSynchronize();
    });
    cudaFree(x);
    cudaFree(y);
}
