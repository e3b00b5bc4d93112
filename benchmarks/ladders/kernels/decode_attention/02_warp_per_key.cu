// kernelwright: task=../../tasks/decode_attention.py entry=decode_attention args="q, k, v, out, k.shape[0], k.shape[1]"
// a block of 512 a head, a warp a key, all threads over the values
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) da_warp(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, __half* __restrict__ out, int s) {
    extern __shared__ float p[];
    __shared__ float red[16], acc[8][128];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, head = blockIdx.x;
    const __half2* q2 = (const __half2*)(q + head * 128) + lane * 2;
    float2 qa = __half22float2(q2[0]), qb = __half22float2(q2[1]);
    for (int i = warp; i < s; i += 16) {
        const __half2* row = (const __half2*)(k + ((size_t)head * s + i) * 128) + lane * 2;
        float2 a = __half22float2(row[0]), b = __half22float2(row[1]);
        float sum = a.x * qa.x + a.y * qa.y + b.x * qb.x + b.y * qb.y;
        for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
        if (lane == 0) p[i] = sum * 0.08838834764f;
    }
    __syncthreads();
    float most = -INFINITY, all = 0.f;
    for (int i = t; i < s; i += 512) most = fmaxf(most, p[i]);
    for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    if (lane == 0) red[warp] = most;
    __syncthreads();
    for (int i = 0; i < 16; ++i) most = fmaxf(most, red[i]);
    __syncthreads();
    for (int i = t; i < s; i += 512) {
        float e = __expf(p[i] - most);
        p[i] = e;
        all += e;
    }
    for (int o = 16; o > 0; o /= 2) all += __shfl_xor_sync(~0u, all, o);
    if (lane == 0) red[warp] = all;
    __syncthreads();
    float2 sum = make_float2(0.f, 0.f);
    int d = t % 64, group = t / 64;
    for (int i = group; i < s; i += 8) {
        float2 x = __half22float2(((const __half2*)(v + ((size_t)head * s + i) * 128))[d]);
        sum.x += p[i] * x.x;
        sum.y += p[i] * x.y;
    }
    acc[group][2 * d] = sum.x;
    acc[group][2 * d + 1] = sum.y;
    __syncthreads();
    if (t < 128) {
        float total = 0.f, whole = 0.f;
        for (int i = 0; i < 8; ++i) total += acc[i][t];
        for (int i = 0; i < 16; ++i) whole += red[i];
        out[head * 128 + t] = __float2half(total / whole);
    }
}
extern "C" void decode_attention(const __half* q, const __half* k, const __half* v, __half* out, int heads, int s, cudaStream_t stream) {
    da_warp<<<heads, 512, s * sizeof(float), stream>>>(q, k, v, out, s);
}
