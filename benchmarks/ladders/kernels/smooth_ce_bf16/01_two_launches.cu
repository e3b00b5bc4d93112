// kernelwright: task=../../tasks/smooth_ce_bf16.py entry=smooth_ce args="x, label, out, x.shape[0], x.shape[1]"
// a launch for the log-sum-exp of a row, another for the mean of the logits and the loss
#include <cuda_bf16.h>
#include <math.h>

__device__ float sc_lse[65536];

__global__ void sc_logsum(const __nv_bfloat16* x, int V) {
    __shared__ float part[256];
    const __nv_bfloat16* row = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x;
    float m = -INFINITY, s = 0.f;
    for (int i = t; i < V; i += 256) m = fmaxf(m, __bfloat162float(row[i]));
    part[t] = m;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] = fmaxf(part[t], part[t + k]);
        __syncthreads();
    }
    m = part[0];
    __syncthreads();
    for (int i = t; i < V; i += 256) s += expf(__bfloat162float(row[i]) - m);
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) sc_lse[blockIdx.x] = m + logf(part[0]);
}
__global__ void sc_loss(const __nv_bfloat16* x, const int* label, float* out, int V) {
    __shared__ float part[256];
    const __nv_bfloat16* row = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x;
    float s = 0.f;
    for (int i = t; i < V; i += 256) s += __bfloat162float(row[i]);
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sc_lse[blockIdx.x] - 0.9f * __bfloat162float(row[label[blockIdx.x]]) - 0.1f * part[0] / V;
}
extern "C" void smooth_ce(const __nv_bfloat16* x, const int* label, float* out, int rows, int V, cudaStream_t stream) {
    sc_logsum<<<rows, 256, 0, stream>>>(x, V);
    sc_loss<<<rows, 256, 0, stream>>>(x, label, out, V);
}
