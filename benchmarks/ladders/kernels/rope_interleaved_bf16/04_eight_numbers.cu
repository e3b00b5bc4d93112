// kernelwright: task=../../tasks/rope_interleaved_bf16.py entry=rope_pairs args="x, pos, table, out, x.shape[0], x.shape[1]"
// eight numbers a thread in one load, four angles as float4, a block a token
#include <cuda_bf16.h>

__global__ void __launch_bounds__(512) ri_eight(const uint4* __restrict__ x, const int* __restrict__ pos, const float4* __restrict__ table, uint4* __restrict__ out) {
    int q = threadIdx.x % 16;
    size_t i = (size_t)blockIdx.x * 512 + threadIdx.x, row = (size_t)pos[blockIdx.x] * 32;
    uint4 v = x[i];
    float4 c = table[row + q], s = table[row + 16 + q];
    __nv_bfloat162* h = (__nv_bfloat162*)&v;
    float cs[4] = {c.x, c.y, c.z, c.w}, sn[4] = {s.x, s.y, s.z, s.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float2 f = __bfloat1622float2(h[j]);
        h[j] = __floats2bfloat162_rn(f.x * cs[j] - f.y * sn[j], f.x * sn[j] + f.y * cs[j]);
    }
    out[i] = v;
}
extern "C" void rope_pairs(const __nv_bfloat16* x, const int* pos, const float* table, __nv_bfloat16* out, int t, int heads, cudaStream_t stream) {
    ri_eight<<<t, heads * 16, 0, stream>>>((const uint4*)x, pos, (const float4*)table, (uint4*)out);
}
