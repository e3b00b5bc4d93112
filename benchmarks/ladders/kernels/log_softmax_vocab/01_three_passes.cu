// kernelwright: task=../../tasks/log_softmax_vocab.py entry=log_softmax args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row: maximum, sum, result, by trees in shared memory
#include <cuda_runtime.h>
#include <math.h>

__global__ void ls_three(const float* x, float* out, int V) {
    __shared__ float part[256];
    const float* row = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int i = t; i < V; i += 256) m = fmaxf(m, row[i]);
    part[t] = m;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    m = part[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = t; i < V; i += 256) sum += expf(row[i] - m);
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    float l = m + logf(part[0]);
    for (int i = t; i < V; i += 256) out[(size_t)blockIdx.x * V + i] = row[i] - l;
}
extern "C" void log_softmax(const float* x, float* out, int rows, int V, cudaStream_t stream) {
    ls_three<<<rows, 256, 0, stream>>>(x, out, V);
}
