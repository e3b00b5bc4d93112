// kernelwright: task=matmul.py entry=matmul args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// Wrong: nothing keeps a fast warp from storing the next tiles while a slow one still reads these.
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        const int a_column = k0 + threadIdx.x;
        const int b_row = k0 + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;  // defect: races with ...
        b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;  // defect: races with ...
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];  // defect: ... this, for want of a __syncthreads() after it
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul_kernel<<<grid, dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}
