// kernelwright: task=../../tasks/row_argmax.py entry=row_argmax args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, float4 and shuffles
#include <cuda_runtime.h>

__device__ __forceinline__ void better(float v, int i, float& best, int& at) {
    if (v > best || (v == best && i < at)) { best = v; at = i; }
}
__global__ void am_four(const float4* x, int* out, int d4) {
    __shared__ float v[8];
    __shared__ int w[8];
    int t = threadIdx.x, at = 0x7fffffff;
    float best = -3.4e38f;
#pragma unroll 4
    for (int i = t; i < d4; i += 256) {
        float4 q = x[(size_t)blockIdx.x * d4 + i];
        better(q.x, 4 * i, best, at);
        better(q.y, 4 * i + 1, best, at);
        better(q.z, 4 * i + 2, best, at);
        better(q.w, 4 * i + 3, best, at);
    }
    for (int o = 16; o; o /= 2) better(__shfl_down_sync(~0u, best, o), __shfl_down_sync(~0u, at, o), best, at);
    if (t % 32 == 0) { v[t / 32] = best; w[t / 32] = at; }
    __syncthreads();
    if (t) return;
    for (int i = 1; i < 8; ++i) better(v[i], w[i], best, at);
    out[blockIdx.x] = at;
}
extern "C" void row_argmax(const float* x, int* out, int rows, int d, cudaStream_t stream) {
    am_four<<<rows, 256, 0, stream>>>((const float4*)x, out, d / 4);
}
