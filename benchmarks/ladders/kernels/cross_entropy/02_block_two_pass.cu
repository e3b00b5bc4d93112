// kernelwright: task=../../tasks/cross_entropy.py entry=cross_entropy args="x, target, out, x.shape[0], x.shape[1]"
// a block of 256 a row, two passes, trees in shared memory
#include <cuda_runtime.h>

__global__ void ce_block(const float* x, const int* target, float* out, int d) {
    __shared__ float s[256];
    int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * d;
    float m = -1e30f, l = 0.f;
    for (int i = t; i < d; i += 256) m = fmaxf(m, row[i]);
    s[t] = m;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) { if (t < o) s[t] = fmaxf(s[t], s[t + o]); __syncthreads(); }
    m = s[0];
    __syncthreads();
    for (int i = t; i < d; i += 256) l += expf(row[i] - m);
    s[t] = l;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    if (t == 0) out[blockIdx.x] = logf(s[0]) + m - row[target[blockIdx.x]];
}
extern "C" void cross_entropy(const float* x, const int* target, float* out, int rows, int d, cudaStream_t stream) {
    ce_block<<<rows, 256, 0, stream>>>(x, target, out, d);
}
