// kernelwright: task=../../tasks/rope_interleaved_bf16.py entry=rope_pairs args="x, pos, table, out, x.shape[0], x.shape[1]"
// a block a token: its angles stay in registers while the threads walk the heads
#include <cuda_bf16.h>

__global__ void __launch_bounds__(256) ri_token(const __nv_bfloat162* __restrict__ x, const int* __restrict__ pos, const float* __restrict__ table, __nv_bfloat162* __restrict__ out, int heads) {
    int pair = threadIdx.x % 64;
    const float* row = table + (size_t)pos[blockIdx.x] * 128;
    float c = row[pair], s = row[64 + pair];
    size_t base = (size_t)blockIdx.x * heads * 64;
#pragma unroll 4
    for (int h = threadIdx.x / 64; h < heads; h += 4) {
        float2 v = __bfloat1622float2(x[base + h * 64 + pair]);
        out[base + h * 64 + pair] = __floats2bfloat162_rn(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}
extern "C" void rope_pairs(const __nv_bfloat16* x, const int* pos, const float* table, __nv_bfloat16* out, int t, int heads, cudaStream_t stream) {
    ri_token<<<t, 256, 0, stream>>>((const __nv_bfloat162*)x, pos, table, (__nv_bfloat162*)out, heads);
}
