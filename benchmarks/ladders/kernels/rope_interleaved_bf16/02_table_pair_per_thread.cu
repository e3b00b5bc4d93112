// kernelwright: task=../../tasks/rope_interleaved_bf16.py entry=rope_pairs args="x, pos, table, out, x.shape[0], x.shape[1]"
// a thread a pair, one load of both numbers, cosine and sine from the table
#include <cuda_bf16.h>

__global__ void ri_table(const __nv_bfloat162* __restrict__ x, const int* __restrict__ pos, const float* __restrict__ table, __nv_bfloat162* __restrict__ out, int total, int heads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int pair = i % 64;
    const float* row = table + (size_t)pos[i / (64 * heads)] * 128;
    float c = row[pair], s = row[64 + pair];
    float2 v = __bfloat1622float2(x[i]);
    out[i] = __floats2bfloat162_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}
extern "C" void rope_pairs(const __nv_bfloat16* x, const int* pos, const float* table, __nv_bfloat16* out, int t, int heads, cudaStream_t stream) {
    int total = t * heads * 64;
    ri_table<<<(total + 255) / 256, 256, 0, stream>>>((const __nv_bfloat162*)x, pos, table, (__nv_bfloat162*)out, total, heads);
}
