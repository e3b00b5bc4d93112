// kernelwright: task=softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
// One thread a row, three passes: largest, sum of exponentials, quotient.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* in = x + (size_t)row * columns;
    float* out = y + (size_t)row * columns;
    float largest = in[0];
    for (int c = 1; c < columns; ++c) {
        largest = fmaxf(largest, in[c]);
    }
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) {
        sum += expf(in[c] - largest);
    }
    for (int c = 0; c < columns; ++c) {
        out[c] = expf(in[c] - largest) / sum;
    }
}

void softmax(const float* x, float* y, int rows, int columns) {
    softmax_kernel<<<(rows + 127) / 128, 128>>>(x, y, rows, columns);
}
