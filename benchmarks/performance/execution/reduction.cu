#include <cuda_runtime.h>
#include "timing.h"
constexpr int ROWS = 1024, COLUMNS = 1024;

__global__ void row_sum(const float* x, float* y, int columns) {
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 256) sum += x[blockIdx.x * columns + i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}

int main() {
    float *x, *y;
    cudaMalloc(&x, ROWS * COLUMNS * sizeof(float));
    cudaMalloc(&y, ROWS * sizeof(float));
    cudaMemset(x, 0, ROWS * COLUMNS * sizeof(float));
    report([&] {
        row_sum<<<ROWS, 256>>>(x, y, COLUMNS);
        cudaDeviceSynchronize();
    });
    cudaFree(x);
    cudaFree(y);
}
