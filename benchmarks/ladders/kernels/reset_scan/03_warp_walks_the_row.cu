// kernelwright: task=../../tasks/reset_scan.py entry=reset_scan args="x, flag, out, x.shape[0], x.shape[1]"
// a warp a row, four elements a lane at a time, shuffles; the carry passes from chunk to chunk
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) rs_warp(const float4* __restrict__ x, const uchar4* __restrict__ flag, float4* __restrict__ out, int rows, int d4) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    size_t base = (size_t)r * d4 + lane;
    float carry = 0.f;
    float4 next = x[base];
    uchar4 mark = flag[base];
    for (int i = 0; i < d4; i += 32) {
        float4 v = next;
        uchar4 g = mark;
        if (i + 32 < d4) {
            next = x[base + i + 32];
            mark = flag[base + i + 32];
        }
        if (!g.y) v.y += v.x;
        if (!g.z) v.z += v.y;
        if (!g.w) v.w += v.z;
        float s = v.w;
        int f = g.x | g.y | g.z | g.w;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float a = __shfl_up_sync(~0u, s, o);
            int b = __shfl_up_sync(~0u, f, o);
            if (lane >= o) {
                if (!f) s += a;
                f |= b;
            }
        }
        if (!f) s += carry;
        float before = __shfl_up_sync(~0u, s, 1);
        if (lane == 0) before = carry;
        carry = __shfl_sync(~0u, s, 31);
        if (!g.x) v.x += before;
        if (!(g.x | g.y)) v.y += before;
        if (!(g.x | g.y | g.z)) v.z += before;
        if (!(g.x | g.y | g.z | g.w)) v.w += before;
        out[base + i] = v;
    }
}
extern "C" void reset_scan(const float* x, const unsigned char* flag, float* out, int rows, int d, cudaStream_t stream) {
    rs_warp<<<(rows + 3) / 4, 128, 0, stream>>>((const float4*)x, (const uchar4*)flag, (float4*)out, rows, d / 4);
}
