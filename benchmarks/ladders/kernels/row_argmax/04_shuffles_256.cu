// kernelwright: task=../../tasks/row_argmax.py entry=row_argmax args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, shuffles
#include <cuda_runtime.h>

__device__ __forceinline__ void better(float v, int i, float& best, int& at) {
    if (v > best || (v == best && i < at)) { best = v; at = i; }
}
__global__ void am_shuffle(const float* x, int* out, int d) {
    __shared__ float v[8];
    __shared__ int w[8];
    int t = threadIdx.x, at = t;
    float best = x[(size_t)blockIdx.x * d + t];
    for (int i = t + 256; i < d; i += 256) better(x[(size_t)blockIdx.x * d + i], i, best, at);
    for (int o = 16; o; o /= 2) better(__shfl_down_sync(~0u, best, o), __shfl_down_sync(~0u, at, o), best, at);
    if (t % 32 == 0) { v[t / 32] = best; w[t / 32] = at; }
    __syncthreads();
    if (t) return;
    for (int i = 1; i < 8; ++i) better(v[i], w[i], best, at);
    out[blockIdx.x] = at;
}
extern "C" void row_argmax(const float* x, int* out, int rows, int d, cudaStream_t stream) {
    am_shuffle<<<rows, 256, 0, stream>>>(x, out, d);
}
