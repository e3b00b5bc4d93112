// kernelwright: task=../../tasks/mask_softmax_half.py entry=mask_softmax args="x, mask, out, x.shape[0], x.shape[1]"
// pairs of halves; needs an even S up to 256
#include <cuda_fp16.h>
#include <math.h>

__global__ void __launch_bounds__(128) ms_pairs(const half2* __restrict__ x, const half2* __restrict__ mask, half2* __restrict__ out, int rows, int S) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, P = S / 2;
    if (r >= rows) return;
    const half2* a = x + (size_t)r * P;
    const half2* b = mask + (r % S) * P;
    float2 v[4];
    float m = -INFINITY, s = 0.f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int i = lane + 32 * j;
        v[j] = make_float2(-INFINITY, -INFINITY);
        if (i < P) {
            float2 p = __half22float2(a[i]), q = __half22float2(__ldg(b + i));
            v[j] = make_float2(p.x + q.x, p.y + q.y);
        }
        m = fmaxf(m, fmaxf(v[j].x, v[j].y));
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
#pragma unroll
    for (int j = 0; j < 4; j++) {
        v[j].x = __expf(v[j].x - m);
        v[j].y = __expf(v[j].y - m);
        s += v[j].x + v[j].y;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    float inv = __fdividef(1.f, s);
#pragma unroll
    for (int j = 0; j < 4; j++)
        if (lane + 32 * j < P) out[(size_t)r * P + lane + 32 * j] = __floats2half2_rn(v[j].x * inv, v[j].y * inv);
}
extern "C" void mask_softmax(const half* x, const half* mask, half* out, int B, int S, cudaStream_t stream) {
    ms_pairs<<<(B * S + 3) / 4, 128, 0, stream>>>((const half2*)x, (const half2*)mask, (half2*)out, B * S, S);
}
