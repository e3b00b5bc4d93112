// kernelwright: task=../../tasks/adaln_modulate.py entry=modulate args="x, scale, shift, out, x.shape[0], x.shape[1], x.shape[2]"
// two launches: the norm writes its result, the modulation reads it again
#include <cuda_runtime.h>

__global__ void ada_norm(const float* x, float* out, int D) {
    __shared__ float part[256];
    const float* row = x + (size_t)blockIdx.x * D;
    int t = threadIdx.x;
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
    for (int i = t; i < D; i += 256) out[(size_t)blockIdx.x * D + i] = (row[i] - mean) * rstd;
}
__global__ void ada_modulate(const float* scale, const float* shift, float* out, int T, int D, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = i % D, b = i / ((size_t)T * D);
    out[i] = out[i] * (1.f + scale[b * D + d]) + shift[b * D + d];
}
extern "C" void modulate(const float* x, const float* scale, const float* shift, float* out, int B, int T, int D, cudaStream_t stream) {
    ada_norm<<<B * T, 256, 0, stream>>>(x, out, D);
    size_t n = (size_t)B * T * D;
    ada_modulate<<<(n + 255) / 256, 256, 0, stream>>>(scale, shift, out, T, D, n);
}
