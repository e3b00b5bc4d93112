// kernelwright: task=../../tasks/l2norm_rows.py entry=l2norm args="x, out, x.shape[0]"
// a warp a row of 1024 kept in registers, four floats a load
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) l2_wide(const float4* __restrict__ x, float4* __restrict__ out) {
    size_t base = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * 256 + threadIdx.x % 32;
    float4 v[8];
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = x[base + i * 32];
#pragma unroll
    for (int i = 0; i < 8; ++i) s += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
#pragma unroll
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    float inv = rsqrtf(fmaxf(s, 1e-24f));
#pragma unroll
    for (int i = 0; i < 8; ++i) out[base + i * 32] = make_float4(v[i].x * inv, v[i].y * inv, v[i].z * inv, v[i].w * inv);
}
extern "C" void l2norm(const float* x, float* out, int rows, cudaStream_t stream) {
    l2_wide<<<rows / 4, 128, 0, stream>>>((const float4*)x, (float4*)out);
}
