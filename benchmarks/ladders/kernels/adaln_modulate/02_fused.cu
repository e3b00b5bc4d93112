// kernelwright: task=../../tasks/adaln_modulate.py entry=modulate args="x, scale, shift, out, x.shape[0], x.shape[1], x.shape[2]"
// one launch, trees in shared memory
#include <cuda_runtime.h>

__global__ void ada_fused(const float* x, const float* scale, const float* shift, float* out, int T, int D) {
    __shared__ float part[256];
    const float* row = x + (size_t)blockIdx.x * D;
    int t = threadIdx.x, b = blockIdx.x / T;
    float s = 0.f;
    for (int i = t; i < D; i += 256) s += row[i];
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    float mean = part[0] / D;
    __syncthreads();
    s = 0.f;
    for (int i = t; i < D; i += 256) s += (row[i] - mean) * (row[i] - mean);
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    float rstd = rsqrtf(part[0] / D + 1e-6f);
    for (int i = t; i < D; i += 256)
        out[(size_t)blockIdx.x * D + i] = (row[i] - mean) * rstd * (1.f + scale[b * D + i]) + shift[b * D + i];
}
extern "C" void modulate(const float* x, const float* scale, const float* shift, float* out, int B, int T, int D, cudaStream_t stream) {
    ada_fused<<<B * T, 256, 0, stream>>>(x, scale, shift, out, T, D);
}
