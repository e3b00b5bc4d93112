#include <cuda_runtime.h>
#include "timing.h"
constexpr int N = 1 << 20;

__global__ void silu(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.0f + expf(-x[i]));
}

int main() {
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMemset(x, 0, N * sizeof(float));
    report([&] {
        silu<<<(N + 255) / 256, 256>>>(x, y, N);
        cudaDeviceSynchronize();
    });
    cudaFree(x);
    cudaFree(y);
}
