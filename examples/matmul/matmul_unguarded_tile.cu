// kernelwright: task=matmul.py entry=matmul args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// Wrong: tiles are loaded without asking whether they reach beyond the matrix.
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];  // defect: no `row < m && k0 + threadIdx.x < k`
        b_tile[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];  // defect: likewise
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul_kernel<<<grid, dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}
