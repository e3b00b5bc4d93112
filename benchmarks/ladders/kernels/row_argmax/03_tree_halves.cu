// kernelwright: task=../../tasks/row_argmax.py entry=row_argmax args="x, out, x.shape[0], x.shape[1]"
// a block of 512 a row, the first half takes the second
#include <cuda_runtime.h>

__device__ __forceinline__ void better(float v, int i, float& best, int& at) {
    if (v > best || (v == best && i < at)) { best = v; at = i; }
}
__global__ void am_halves(const float* x, int* out, int d) {
    __shared__ float v[512];
    __shared__ int w[512];
    int t = threadIdx.x, at = t;
    float best = x[(size_t)blockIdx.x * d + t];
    for (int i = t + 512; i < d; i += 512) better(x[(size_t)blockIdx.x * d + i], i, best, at);
    v[t] = best;
    w[t] = at;
    __syncthreads();
    for (int o = 256; o; o /= 2) {
        if (t < o) better(v[t + o], w[t + o], v[t], w[t]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = w[0];
}
extern "C" void row_argmax(const float* x, int* out, int rows, int d, cudaStream_t stream) {
    am_halves<<<rows, 512, 0, stream>>>(x, out, d);
}
