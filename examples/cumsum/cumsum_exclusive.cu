// kernelwright: task=cumsum.py entry=cumsum args="x, out, x.shape[0], x.shape[1]"
// Wrong: off by one element. The sum is stored before the element itself is added.
#include <cuda_runtime.h>

__global__ void cumsum_kernel(const float* x, float* y, int rows, int length) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = 0; i < length; ++i) {
            y[(size_t)row * length + i] = sum;  // defect: should stand after the next line
            sum += x[(size_t)row * length + i];
        }
    }
}

void cumsum(const float* x, float* y, int rows, int length) {
    cumsum_kernel<<<(rows + 63) / 64, 64>>>(x, y, rows, length);
}
