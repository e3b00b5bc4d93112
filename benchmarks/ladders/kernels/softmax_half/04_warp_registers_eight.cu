// kernelwright: task=../../tasks/softmax_half.py entry=softmax_half args="x, out, x.shape[0], x.shape[1]"
// a warp a row of 1024, eight halves a load
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) sh_eight(const uint4* __restrict__ x, uint4* __restrict__ out, int rows) {
    int r = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    uint4 raw[4];
    float v[32], m = -1e30f, l = 0.f;
#pragma unroll
    for (int i = 0; i < 4; ++i) raw[i] = x[(size_t)r * 128 + i * 32 + lane];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        float2 f = __half22float2(((const __half2*)raw)[i]);
        v[2 * i] = f.x; v[2 * i + 1] = f.y;
        m = fmaxf(m, fmaxf(f.x, f.y));
    }
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
#pragma unroll
    for (int i = 0; i < 32; ++i) { v[i] = __expf(v[i] - m); l += v[i]; }
    for (int o = 16; o; o /= 2) l += __shfl_xor_sync(~0u, l, o);
    l = 1.f / l;
#pragma unroll
    for (int i = 0; i < 16; ++i) ((__half2*)raw)[i] = __floats2half2_rn(v[2 * i] * l, v[2 * i + 1] * l);
#pragma unroll
    for (int i = 0; i < 4; ++i) out[(size_t)r * 128 + i * 32 + lane] = raw[i];
}
extern "C" void softmax_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    sh_eight<<<(rows + 3) / 4, 128, 0, stream>>>((const uint4*)x, (uint4*)out, rows);
}
