// kernelwright: task=../../tasks/causal_softmax.py entry=causal_softmax args="x, out, x.shape[0] * x.shape[1], x.shape[2]"
// a block of 1024 a row, an element a thread, trees in shared memory
#include <cuda_runtime.h>

__global__ void ca_tree(const float* x, float* out, int s) {
    __shared__ float t[1024];
    int i = threadIdx.x, n = blockIdx.x % s + 1;
    float v = i < n ? x[(size_t)blockIdx.x * s + i] : -1e30f;
    t[i] = v;
    __syncthreads();
    for (int o = 512; o; o /= 2) {
        if (i < o) t[i] = fmaxf(t[i], t[i + o]);
        __syncthreads();
    }
    float e = i < n ? __expf(v - t[0]) : 0.f;
    __syncthreads();
    t[i] = e;
    __syncthreads();
    for (int o = 512; o; o /= 2) {
        if (i < o) t[i] += t[i + o];
        __syncthreads();
    }
    out[(size_t)blockIdx.x * s + i] = e / t[0];
}
extern "C" void causal_softmax(const float* x, float* out, int rows, int s, cudaStream_t stream) {
    ca_tree<<<rows, 1024, 0, stream>>>(x, out, s);
}
