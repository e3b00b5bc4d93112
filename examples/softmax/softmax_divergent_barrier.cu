// kernelwright: task=softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
// Wrong: a barrier inside the loop over columns. Where the number of columns is no multiple of the block, some
// threads go through the loop once more than the others.
#include <cuda_runtime.h>

#define BLOCK 128

__global__ void softmax_kernel(const float* x, float* y, int columns) {
    __shared__ float largest_of[BLOCK];
    __shared__ float sum_of[BLOCK];
    const float* in = x + (size_t)blockIdx.x * columns;
    float* out = y + (size_t)blockIdx.x * columns;
    const int t = threadIdx.x;

    largest_of[t] = -INFINITY;
    sum_of[t] = 0.0f;
    for (int c = t; c < columns; c += BLOCK) {
        largest_of[t] = fmaxf(largest_of[t], in[c]);
        __syncthreads();  // defect: not reached by all threads the same number of times
    }
    __syncthreads();  // defect: where the others wait meanwhile
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            largest_of[t] = fmaxf(largest_of[t], largest_of[t + half]);
        }
        __syncthreads();
    }
    const float largest = largest_of[0];
    for (int c = t; c < columns; c += BLOCK) {
        sum_of[t] += expf(in[c] - largest);
    }
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            sum_of[t] += sum_of[t + half];
        }
        __syncthreads();
    }
    for (int c = t; c < columns; c += BLOCK) {
        out[c] = expf(in[c] - largest) / sum_of[0];
    }
}

void softmax(const float* x, float* y, int rows, int columns) {
    softmax_kernel<<<rows, BLOCK>>>(x, y, columns);
}
