// kernelwright: task=../../tasks/mask_softmax_half.py entry=mask_softmax args="x, mask, out, x.shape[0], x.shape[1]"
// a warp a row, seven numbers a lane in registers
#include <cuda_fp16.h>
#include <math.h>

__global__ void ms_warp(const half* __restrict__ x, const half* __restrict__ mask, half* __restrict__ out, int rows, int S) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const half* a = x + (size_t)r * S;
    const half* b = mask + (r % S) * S;
    float v[7], m = -INFINITY, s = 0.f;
#pragma unroll
    for (int j = 0; j < 7; j++) {
        int i = lane + 32 * j;
        v[j] = i < S ? __half2float(a[i]) + __half2float(b[i]) : -INFINITY;
        m = fmaxf(m, v[j]);
    }
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
#pragma unroll
    for (int j = 0; j < 7; j++) {
        v[j] = __expf(v[j] - m);
        s += v[j];
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    float inv = 1.f / s;
#pragma unroll
    for (int j = 0; j < 7; j++)
        if (lane + 32 * j < S) out[(size_t)r * S + lane + 32 * j] = __float2half(v[j] * inv);
}
extern "C" void mask_softmax(const half* x, const half* mask, half* out, int B, int S, cudaStream_t stream) {
    ms_warp<<<(B * S + 3) / 4, 128, 0, stream>>>(x, mask, out, B * S, S);
}
