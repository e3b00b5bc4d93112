// kernelwright: task=../../tasks/layernorm.py entry=layernorm args="x, weight, bias, out, x.shape[0], x.shape[1]"
// a block of 256 a row of 1024: the row stays in registers, one pass
#include <cuda_runtime.h>

__device__ __forceinline__ float sum256(float v, float* s) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.f;
    for (int i = 0; i < 8; ++i) v += s[i];
    __syncthreads();
    return v;
}
__global__ void __launch_bounds__(256) ln_registers(const float4* x, const float4* w, const float4* b, float4* out, int d4) {
    __shared__ float s[8];
    int t = threadIdx.x;
    float4 v = x[(size_t)blockIdx.x * d4 + t];
    float mean = sum256(v.x + v.y + v.z + v.w, s) / (4 * d4);
    v.x -= mean; v.y -= mean; v.z -= mean; v.w -= mean;
    float inv = rsqrtf(sum256(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, s) / (4 * d4) + 1e-5f);
    float4 g = w[t], h = b[t];
    out[(size_t)blockIdx.x * d4 + t] = make_float4(v.x * inv * g.x + h.x, v.y * inv * g.y + h.y, v.z * inv * g.z + h.z, v.w * inv * g.w + h.w);
}
extern "C" void layernorm(const float* x, const float* weight, const float* bias, float* out, int rows, int d, cudaStream_t stream) {
    ln_registers<<<rows, 256, 0, stream>>>((const float4*)x, (const float4*)weight, (const float4*)bias, (float4*)out, d / 4);
}
