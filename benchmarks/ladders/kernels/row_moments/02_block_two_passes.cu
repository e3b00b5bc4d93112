// kernelwright: task=../../tasks/row_moments.py entry=row_moments args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, read twice; four trees in shared memory
#include <cuda_runtime.h>

__device__ float rm_tree(float v, float* s) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}
__global__ void rm_block(const float* x, float* out, int d) {
    __shared__ float s[256];
    const float* p = x + (size_t)blockIdx.x * d;
    float sum = 0.f, m2 = 0.f, m3 = 0.f, m4 = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) sum += p[i];
    float mean = rm_tree(sum, s) / d;
    for (int i = threadIdx.x; i < d; i += 256) {
        float v = p[i] - mean, q = v * v;
        m2 += q;
        m3 += q * v;
        m4 += q * q;
    }
    m2 = rm_tree(m2, s) / d;
    m3 = rm_tree(m3, s) / d;
    m4 = rm_tree(m4, s) / d;
    if (threadIdx.x == 0) ((float4*)out)[blockIdx.x] = make_float4(mean, m2, m3 / (m2 * sqrtf(m2)), m4 / (m2 * m2));
}
extern "C" void row_moments(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    rm_block<<<rows, 256, 0, stream>>>(x, out, d);
}
