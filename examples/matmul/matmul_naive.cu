// kernelwright: task=matmul.py entry=matmul args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// One thread an output element.
#include <cuda_runtime.h>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}

void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    const dim3 block(16, 16);
    const dim3 grid((n + 15) / 16, (m + 15) / 16);
    matmul_kernel<<<grid, block>>>(a, b, c, m, n, k);
}
