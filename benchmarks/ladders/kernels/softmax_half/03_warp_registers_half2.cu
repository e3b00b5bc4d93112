// kernelwright: task=../../tasks/softmax_half.py entry=softmax_half args="x, out, x.shape[0], x.shape[1]"
// a warp a row of 1024, pairs kept in registers
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sh_pairs(const __half2* x, __half2* out, int rows) {
    int r = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float2 v[16];
    float m = -1e30f, l = 0.f;
#pragma unroll
    for (int i = 0; i < 16; ++i) { v[i] = __half22float2(x[(size_t)r * 512 + i * 32 + lane]); m = fmaxf(m, fmaxf(v[i].x, v[i].y)); }
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
#pragma unroll
    for (int i = 0; i < 16; ++i) { v[i].x = __expf(v[i].x - m); v[i].y = __expf(v[i].y - m); l += v[i].x + v[i].y; }
    for (int o = 16; o; o /= 2) l += __shfl_xor_sync(~0u, l, o);
    l = 1.f / l;
#pragma unroll
    for (int i = 0; i < 16; ++i) out[(size_t)r * 512 + i * 32 + lane] = __floats2half2_rn(v[i].x * l, v[i].y * l);
}
extern "C" void softmax_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    sh_pairs<<<(rows + 7) / 8, 256, 0, stream>>>((const __half2*)x, (__half2*)out, rows);
}
