// kernelwright: task=../../tasks/log_softmax_vocab.py entry=log_softmax args="x, out, x.shape[0], x.shape[1]"
// maximum and sum in one pass, each thread rescales its sum when its maximum grows
#include <cuda_runtime.h>
#include <math.h>

__global__ void ls_online(const float* __restrict__ x, float* __restrict__ out, int V) {
    __shared__ float pm[32], ps[32];
    const float* row = x + (size_t)blockIdx.x * V;
    float m = -1e30f, s = 0.0f;
    for (int i = threadIdx.x; i < V; i += 1024) {
        float v = row[i];
        if (v > m) {
            s *= __expf(m - v);
            m = v;
        }
        s += __expf(v - m);
    }
    for (int o = 16; o; o >>= 1) {
        float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o);
        float nm = fmaxf(m, om);
        s = s * __expf(m - nm) + os * __expf(om - nm);
        m = nm;
    }
    if (threadIdx.x % 32 == 0) {
        pm[threadIdx.x / 32] = m;
        ps[threadIdx.x / 32] = s;
    }
    __syncthreads();
    m = pm[threadIdx.x % 32];
    s = ps[threadIdx.x % 32];
    for (int o = 16; o; o >>= 1) {
        float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o);
        float nm = fmaxf(m, om);
        s = s * __expf(m - nm) + os * __expf(om - nm);
        m = nm;
    }
    float l = m + logf(s);
    for (int i = threadIdx.x; i < V; i += 1024) out[(size_t)blockIdx.x * V + i] = row[i] - l;
}
extern "C" void log_softmax(const float* x, float* out, int rows, int V, cudaStream_t stream) {
    ls_online<<<rows, 1024, 0, stream>>>(x, out, V);
}
