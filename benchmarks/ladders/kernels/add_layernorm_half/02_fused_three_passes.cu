// kernelwright: task=../../tasks/add_layernorm_half.py entry=add_ln args="x, res, gamma, beta, out, x.shape[0], x.shape[1]"
// one launch, scalar halves read three times, shuffles
#include <cuda_fp16.h>

__device__ float al_all(float v) {
    __shared__ float s[8];
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.f;
    for (int i = 0; i < 8; ++i) v += s[i];
    return v;
}
__global__ void __launch_bounds__(256) al_fused(const __half* __restrict__ x, const __half* __restrict__ res, const __half* __restrict__ gamma, const __half* __restrict__ beta, __half* __restrict__ out, int d) {
    size_t base = (size_t)blockIdx.x * d;
    float v = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) v += __half2float(x[base + i]) + __half2float(res[base + i]);
    float mean = al_all(v) / d;
    v = 0.f;
    for (int i = threadIdx.x; i < d; i += 256) {
        float e = __half2float(x[base + i]) + __half2float(res[base + i]) - mean;
        v += e * e;
    }
    float inv = rsqrtf(al_all(v) / d + 1e-5f);
    for (int i = threadIdx.x; i < d; i += 256) {
        float e = __half2float(x[base + i]) + __half2float(res[base + i]) - mean;
        out[base + i] = __float2half(e * inv * __half2float(gamma[i]) + __half2float(beta[i]));
    }
}
extern "C" void add_ln(const __half* x, const __half* res, const __half* gamma, const __half* beta, __half* out, int rows, int d, cudaStream_t stream) {
    al_fused<<<rows, 256, 0, stream>>>(x, res, gamma, beta, out, d);
}
