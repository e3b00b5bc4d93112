// kernelwright: task=../../tasks/add_layernorm_half.py entry=add_ln args="x, res, gamma, beta, out, x.shape[0], x.shape[1]"
// the sum by one launch, the norm in place by another: shared-memory trees
#include <cuda_fp16.h>

__global__ void al_add(const __half* x, const __half* res, __half* out, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < total) out[i] = __float2half(__half2float(x[i]) + __half2float(res[i]));
}
__global__ void al_norm(const __half* gamma, const __half* beta, __half* out, int d) {
    __shared__ float s[256];
    __half* row = out + (size_t)blockIdx.x * d;
    int t = threadIdx.x;
    float v = 0.f;
    for (int i = t; i < d; i += 256) v += __half2float(row[i]);
    s[t] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    float mean = s[0] / d;
    __syncthreads();
    v = 0.f;
    for (int i = t; i < d; i += 256) {
        float e = __half2float(row[i]) - mean;
        v += e * e;
    }
    s[t] = v;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (t < o) s[t] += s[t + o];
        __syncthreads();
    }
    float inv = rsqrtf(s[0] / d + 1e-5f);
    for (int i = t; i < d; i += 256) row[i] = __float2half((__half2float(row[i]) - mean) * inv * __half2float(gamma[i]) + __half2float(beta[i]));
}
extern "C" void add_ln(const __half* x, const __half* res, const __half* gamma, const __half* beta, __half* out, int rows, int d, cudaStream_t stream) {
    al_add<<<(rows * d + 255) / 256, 256, 0, stream>>>(x, res, out, rows * d);
    al_norm<<<rows, 256, 0, stream>>>(gamma, beta, out, d);
}
