// kernelwright: task=softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
// Wrong: the largest element is not taken off first, so the exponentials of large inputs overflow to infinity.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = x + (size_t)row * columns;
    float* out = y + (size_t)row * columns;
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) {
        sum += expf(in[c]);
    }
    for (int c = 0; c < columns; ++c) {
        out[c] = expf(in[c]) / sum;  // defect: infinity / infinity once an input exceeds 88
    }
}

void softmax(const float* x, float* y, int rows, int columns) {
    softmax_kernel<<<(rows + 127) / 128, 128>>>(x, y, rows, columns);
}
