// kernelwright: task=../../tasks/instance_norm_half.py entry=inorm args="x, out, x.shape[0]"
// a plane of 392 x 8 halves in the registers of four warps
#include <cuda_fp16.h>

__device__ __forceinline__ float in_sum4(float v, float* s) {
#pragma unroll
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    return s[0] + s[1] + s[2] + s[3];
}
__global__ void __launch_bounds__(128) in_registers(const uint4* __restrict__ x, uint4* __restrict__ out) {
    __shared__ float sums[4], squares[4];
    size_t base = (size_t)blockIdx.x * 392;
    int t = threadIdx.x;
    uint4 v[4];
    float s = 0.f, q = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = t + i * 128 < 392 ? x[base + t + i * 128] : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const __half2* h = (const __half2*)&v[i];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float2 f = __half22float2(h[j]);
            s += f.x + f.y;
            q += f.x * f.x + f.y * f.y;
        }
    }
    float mean = in_sum4(s, sums) / 3136.f;
    float inv = rsqrtf(in_sum4(q, squares) / 3136.f - mean * mean + 1e-5f);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        __half2* h = (__half2*)&v[i];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float2 f = __half22float2(h[j]);
            h[j] = __floats2half2_rn((f.x - mean) * inv, (f.y - mean) * inv);
        }
        if (t + i * 128 < 392) out[base + t + i * 128] = v[i];
    }
}
extern "C" void inorm(const __half* x, __half* out, int planes, cudaStream_t stream) {
    in_registers<<<planes, 128, 0, stream>>>((const uint4*)x, (uint4*)out);
}
