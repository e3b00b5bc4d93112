// kernelwright: task=softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
// Wrong: `scratch` is used for the largest element and then for the sum. Fast threads store their partial sums
// while slow ones still read the largest element.
#include <cuda_runtime.h>

#define BLOCK 128

__global__ void softmax_kernel(const float* x, float* y, int columns) {
    __shared__ float scratch[BLOCK];
    const float* in = x + (size_t)blockIdx.x * columns;
    float* out = y + (size_t)blockIdx.x * columns;
    const int t = threadIdx.x;

    float largest = -INFINITY;
    for (int c = t; c < columns; c += BLOCK) {
        largest = fmaxf(largest, in[c]);
    }
    scratch[t] = largest;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            scratch[t] = fmaxf(scratch[t], scratch[t + half]);
        }
        __syncthreads();
    }
    largest = scratch[0];  // defect: a __syncthreads() belongs between this read ...

    float sum = 0.0f;
    for (int c = t; c < columns; c += BLOCK) {
        sum += expf(in[c] - largest);
    }
    scratch[t] = sum;  // defect: ... and this store
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            scratch[t] += scratch[t + half];
        }
        __syncthreads();
    }
    for (int c = t; c < columns; c += BLOCK) {
        out[c] = expf(in[c] - largest) / scratch[0];
    }
}

void softmax(const float* x, float* y, int rows, int columns) {
    softmax_kernel<<<rows, BLOCK>>>(x, y, columns);
}
