#include <cuda_runtime.h>
#include "timing.h"
constexpr int N = 256, TILE = 16;

__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        at[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bt[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += at[threadIdx.y][k] * bt[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main() {
    float *a, *b, *c;
    cudaMalloc(&a, N * N * sizeof(float));
    cudaMalloc(&b, N * N * sizeof(float));
    cudaMalloc(&c, N * N * sizeof(float));
    cudaMemset(a, 0, N * N * sizeof(float));
    cudaMemset(b, 0, N * N * sizeof(float));
    report([&] {
        matmul<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c, N);
        cudaDeviceSynchronize();
    });
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
