// kernelwright: task=cumsum.py entry=cumsum args="x, out, x.shape[0], x.shape[1]"
// One thread a row.
#include <cuda_runtime.h>

__global__ void cumsum_kernel(const float* x, float* y, int rows, int length) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = 0; i < length; ++i) {
            sum += x[(size_t)row * length + i];
            y[(size_t)row * length + i] = sum;
        }
    }
}

void cumsum(const float* x, float* y, int rows, int length) {
    cumsum_kernel<<<(rows + 63) / 64, 64>>>(x, y, rows, length);
}
