// kernelwright: task=../../tasks/log_softmax_vocab.py entry=log_softmax args="x, out, x.shape[0], x.shape[1]"
// four loads a round before any is used, one rescaling for four
#include <cuda_runtime.h>
#include <math.h>

__device__ __forceinline__ void merge(float& m, float& s, float om, float os) {
    float nm = fmaxf(m, om);
    s = s * __expf(m - nm) + os * __expf(om - nm);
    m = nm;
}
__global__ void __launch_bounds__(1024) ls_four(const float* __restrict__ x, float* __restrict__ out, int V) {
    __shared__ float pm[32], ps[32];
    const float* row = x + (size_t)blockIdx.x * V;
    float* dst = out + (size_t)blockIdx.x * V;
    float m = -1e30f, s = 0.0f;
    int i = threadIdx.x;
    for (; i + 3 * 1024 < V; i += 4 * 1024) {
        float a = row[i], b = row[i + 1024], c = row[i + 2048], d = row[i + 3072];
        float n = fmaxf(m, fmaxf(fmaxf(a, b), fmaxf(c, d)));
        s = s * __expf(m - n) + __expf(a - n) + __expf(b - n) + __expf(c - n) + __expf(d - n);
        m = n;
    }
    for (; i < V; i += 1024) merge(m, s, row[i], 1.0f);
    for (int o = 16; o; o >>= 1) merge(m, s, __shfl_xor_sync(~0u, m, o), __shfl_xor_sync(~0u, s, o));
    if (threadIdx.x % 32 == 0) {
        pm[threadIdx.x / 32] = m;
        ps[threadIdx.x / 32] = s;
    }
    __syncthreads();
    m = pm[threadIdx.x % 32];
    s = ps[threadIdx.x % 32];
    for (int o = 16; o; o >>= 1) merge(m, s, __shfl_xor_sync(~0u, m, o), __shfl_xor_sync(~0u, s, o));
    float l = m + __logf(s);
#pragma unroll 4
    for (i = threadIdx.x; i < V; i += 1024) dst[i] = row[i] - l;
}
extern "C" void log_softmax(const float* x, float* out, int rows, int V, cudaStream_t stream) {
    ls_four<<<rows, 1024, 0, stream>>>(x, out, V);
}
