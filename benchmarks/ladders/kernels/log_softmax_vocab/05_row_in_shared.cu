// kernelwright: task=../../tasks/log_softmax_vocab.py entry=log_softmax args="x, out, x.shape[0], x.shape[1]"
// the row is kept in dynamic shared memory (196 KiB): read from global memory once
#include <cuda_runtime.h>
#include <math.h>

__global__ void __launch_bounds__(1024) ls_kept(const float* __restrict__ x, float* __restrict__ out, int V) {
    extern __shared__ float kept[];
    __shared__ float part[32];
    const float* row = x + (size_t)blockIdx.x * V;
    float* dst = out + (size_t)blockIdx.x * V;
    float m = -INFINITY, s = 0.0f;
#pragma unroll 8
    for (int i = threadIdx.x; i < V; i += 1024) {
        float v = row[i];
        kept[i] = v;
        m = fmaxf(m, v);
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
    __syncthreads();
    m = part[threadIdx.x % 32];
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    __syncthreads();
    for (int i = threadIdx.x; i < V; i += 1024) s += __expf(kept[i] - m);
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = part[threadIdx.x % 32];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    float l = m + __logf(s);
    for (int i = threadIdx.x; i < V; i += 1024) dst[i] = kept[i] - l;
}
extern "C" void log_softmax(const float* x, float* out, int rows, int V, cudaStream_t stream) {
    cudaFuncSetAttribute(ls_kept, cudaFuncAttributeMaxDynamicSharedMemorySize, V * (int)sizeof(float));
    ls_kept<<<rows, 1024, V * sizeof(float), stream>>>(x, out, V);
}
