// kernelwright: task=../../tasks/layernorm_weight_grad.py entry=weight_grad args="dy, x, mean, rstd, out, x.shape[0], x.shape[1]"
// chunks of 64 rows to a workspace, a second launch adds the chunks
#include <cuda_fp16.h>

__device__ float lw_part[128 * 2 * 2048];

__global__ void __launch_bounds__(256) lw_chunk(const __half* __restrict__ dy, const __half* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ rstd, int d) {
    int c = blockIdx.x * 256 + threadIdx.x, r0 = blockIdx.y * 64;
    float w = 0.f, b = 0.f;
#pragma unroll 4
    for (int i = r0; i < r0 + 64; ++i) {
        float g = __half2float(dy[(size_t)i * d + c]);
        w += g * (__half2float(x[(size_t)i * d + c]) - mean[i]) * rstd[i];
        b += g;
    }
    lw_part[(size_t)blockIdx.y * 2 * d + c] = w;
    lw_part[(size_t)blockIdx.y * 2 * d + d + c] = b;
}
__global__ void __launch_bounds__(128) lw_sum(float* __restrict__ out, int chunks, int d2) {
    int c = blockIdx.x * 128 + threadIdx.x;
    float s = 0.f;
#pragma unroll 8
    for (int i = 0; i < chunks; ++i) s += lw_part[(size_t)i * d2 + c];
    out[c] = s;
}
extern "C" void weight_grad(const __half* dy, const __half* x, const float* mean, const float* rstd, float* out, int r, int d, cudaStream_t stream) {
    lw_chunk<<<dim3(d / 256, r / 64), 256, 0, stream>>>(dy, x, mean, rstd, d);
    lw_sum<<<2 * d / 128, 128, 0, stream>>>(out, r / 64, 2 * d);
}
