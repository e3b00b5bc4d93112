// kernelwright: task=matmul.py entry=matmul args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// Wrong: a float32 task, summed up in half precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n) {
        __half sum = __float2half(0.0f);
        for (int i = 0; i < k; ++i) {
            sum = __hadd(sum, __float2half(a[row * k + i] * b[i * n + column]));
        }
        c[row * n + column] = __half2float(sum);  // defect: eleven bits of every partial sum are left
    }
}

void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    const dim3 block(16, 16);
    const dim3 grid((n + 15) / 16, (m + 15) / 16);
    matmul_kernel<<<grid, block>>>(a, b, c, m, n, k);
}
