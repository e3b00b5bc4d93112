// kernelwright: task=../../tasks/topk_rows.py entry=topk_rows args="x, out, x.shape[0], x.shape[1]"
// a block a row in shared memory, eight rounds of the largest
#include <cuda_runtime.h>

__global__ void tk_rounds(const float* x, float* out, int d) {
    extern __shared__ float row[];
    __shared__ float value[256];
    __shared__ int where[256];
    int t = threadIdx.x;
    for (int i = t; i < d; i += 256) row[i] = x[(size_t)blockIdx.x * d + i];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        float v = -INFINITY;
        int at = 0;
        for (int i = t; i < d; i += 256)
            if (row[i] > v) { v = row[i]; at = i; }
        value[t] = v;
        where[t] = at;
        __syncthreads();
        for (int o = 128; o > 0; o /= 2) {
            if (t < o && value[t + o] > value[t]) { value[t] = value[t + o]; where[t] = where[t + o]; }
            __syncthreads();
        }
        if (t == 0) {
            out[blockIdx.x * 8 + k] = value[0];
            row[where[0]] = -INFINITY;
        }
        __syncthreads();
    }
}
extern "C" void topk_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    tk_rounds<<<rows, 256, d * sizeof(float), stream>>>(x, out, d);
}
