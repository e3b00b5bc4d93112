// kernelwright: task=../../tasks/layernorm_weight_grad.py entry=weight_grad args="dy, x, mean, rstd, out, x.shape[0], x.shape[1]"
// chunks of 64 rows a block, sums added by atomics
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) lw_atomic(const __half* __restrict__ dy, const __half* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ rstd, float* __restrict__ out, int d) {
    int c = blockIdx.x * 256 + threadIdx.x, r0 = blockIdx.y * 64;
    float w = 0.f, b = 0.f;
#pragma unroll 4
    for (int i = r0; i < r0 + 64; ++i) {
        float g = __half2float(dy[(size_t)i * d + c]);
        w += g * (__half2float(x[(size_t)i * d + c]) - mean[i]) * rstd[i];
        b += g;
    }
    atomicAdd(out + c, w);
    atomicAdd(out + d + c, b);
}
extern "C" void weight_grad(const __half* dy, const __half* x, const float* mean, const float* rstd, float* out, int r, int d, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)d * 8, stream);
    lw_atomic<<<dim3(d / 256, r / 64), 256, 0, stream>>>(dy, x, mean, rstd, out, d);
}
