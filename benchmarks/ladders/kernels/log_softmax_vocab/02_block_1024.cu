// kernelwright: task=../../tasks/log_softmax_vocab.py entry=log_softmax args="x, out, x.shape[0], x.shape[1]"
// the same with 1024 threads and shuffles
#include <cuda_runtime.h>
#include <math.h>

__device__ float all_max(float v, float* part) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 32];
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    __syncthreads();
    return v;
}
__device__ float all_sum(float v, float* part) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[threadIdx.x % 32];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    __syncthreads();
    return v;
}
__global__ void ls_wide(const float* x, float* out, int V) {
    __shared__ float part[32];
    const float* row = x + (size_t)blockIdx.x * V;
    float m = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < V; i += blockDim.x) m = fmaxf(m, row[i]);
    m = all_max(m, part);
    for (int i = threadIdx.x; i < V; i += blockDim.x) sum += expf(row[i] - m);
    sum = all_sum(sum, part);
    float l = m + logf(sum);
    for (int i = threadIdx.x; i < V; i += blockDim.x) out[(size_t)blockIdx.x * V + i] = row[i] - l;
}
extern "C" void log_softmax(const float* x, float* out, int rows, int V, cudaStream_t stream) {
    ls_wide<<<rows, 1024, 0, stream>>>(x, out, V);
}
