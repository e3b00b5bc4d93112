// kernelwright: task=../../tasks/causal_softmax.py entry=causal_softmax args="x, out, x.shape[0] * x.shape[1], x.shape[2]"
// a block of 256 a row, three passes up to the diagonal, shuffles
#include <cuda_runtime.h>

__device__ float total(float v, bool most, float* s) {
    for (int o = 16; o; o /= 2) { float u = __shfl_xor_sync(~0u, v, o); v = most ? fmaxf(v, u) : v + u; }
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = s[threadIdx.x % 8];
    for (int o = 4; o; o /= 2) { float u = __shfl_xor_sync(~0u, v, o); v = most ? fmaxf(v, u) : v + u; }
    return v;
}
__global__ void ca_block(const float* x, float* out, int s) {
    __shared__ float a[8], b[8];
    int n = blockIdx.x % s + 1;
    const float* row = x + (size_t)blockIdx.x * s;
    float m = -1e30f, sum = 0.f;
    for (int i = threadIdx.x; i < n; i += 256) m = fmaxf(m, row[i]);
    m = total(m, true, a);
    for (int i = threadIdx.x; i < n; i += 256) sum += __expf(row[i] - m);
    sum = total(sum, false, b);
    for (int i = threadIdx.x; i < s; i += 256) out[(size_t)blockIdx.x * s + i] = i < n ? __expf(row[i] - m) / sum : 0.f;
}
extern "C" void causal_softmax(const float* x, float* out, int rows, int s, cudaStream_t stream) {
    ca_block<<<rows, 256, 0, stream>>>(x, out, s);
}
