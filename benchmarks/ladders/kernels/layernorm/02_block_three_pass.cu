// kernelwright: task=../../tasks/layernorm.py entry=layernorm args="x, weight, bias, out, x.shape[0], x.shape[1]"
// a block of 256 a row, tree sums in shared memory, the row read three times
#include <cuda_runtime.h>

__device__ float block_sum(float v, float* s) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int o = blockDim.x / 2; o; o >>= 1) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    float r = s[0];
    __syncthreads();
    return r;
}
__global__ void ln_block(const float* x, const float* w, const float* b, float* out, int d) {
    __shared__ float s[256];
    const float* row = x + (size_t)blockIdx.x * d;
    float v = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) v += row[i];
    float mean = block_sum(v, s) / d;
    v = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) v += (row[i] - mean) * (row[i] - mean);
    float inv = rsqrtf(block_sum(v, s) / d + 1e-5f);
    for (int i = threadIdx.x; i < d; i += 256) out[(size_t)blockIdx.x * d + i] = (row[i] - mean) * inv * w[i] + b[i];
}
extern "C" void layernorm(const float* x, const float* weight, const float* bias, float* out, int rows, int d, cudaStream_t stream) {
    ln_block<<<rows, 256, 0, stream>>>(x, weight, bias, out, d);
}
