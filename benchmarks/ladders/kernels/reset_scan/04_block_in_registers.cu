// kernelwright: task=../../tasks/reset_scan.py entry=reset_scan args="x, flag, out, x.shape[0], x.shape[1]"
// a block a row of 4096, sixteen elements a thread in registers, one scan over the warps' ends
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) rs_block(const float4* __restrict__ x, const unsigned* __restrict__ flag, float4* __restrict__ out) {
    __shared__ float sums[8];
    __shared__ int marks[8];
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    size_t base = (size_t)blockIdx.x * 1024 + t * 4;
    float v[16];
    unsigned g[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float4 q = x[base + k];
        v[4 * k] = q.x, v[4 * k + 1] = q.y, v[4 * k + 2] = q.z, v[4 * k + 3] = q.w;
    }
    uint4 all = *(const uint4*)&flag[base];
    g[0] = all.x, g[1] = all.y, g[2] = all.z, g[3] = all.w;
    float s = v[0];
#pragma unroll
    for (int k = 1; k < 16; ++k) {
        if (!(g[k / 4] >> (k % 4 * 8) & 255)) v[k] += s;
        s = v[k];
    }
    int f = (g[0] | g[1] | g[2] | g[3]) != 0;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        float a = __shfl_up_sync(~0u, s, o);
        int b = __shfl_up_sync(~0u, f, o);
        if (lane >= o) {
            if (!f) s += a;
            f |= b;
        }
    }
    if (lane == 31) {
        sums[w] = s;
        marks[w] = f;
    }
    float before = __shfl_up_sync(~0u, s, 1);
    int marked = __shfl_up_sync(~0u, f, 1);
    if (lane == 0) before = 0.f, marked = 0;
    __syncthreads();
    float carry = 0.f;
    for (int k = 0; k < w; ++k) carry = marks[k] ? sums[k] : carry + sums[k];
    if (!marked) before += carry;
    bool open = true;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        open = open && !(g[k / 4] >> (k % 4 * 8) & 255);
        if (open) v[k] += before;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) out[base + k] = make_float4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
}
extern "C" void reset_scan(const float* x, const unsigned char* flag, float* out, int rows, int d, cudaStream_t stream) {
    rs_block<<<rows, 256, 0, stream>>>((const float4*)x, (const unsigned*)flag, (float4*)out);
}
