// kernelwright: task=../../tasks/decode_attention.py entry=decode_attention args="q, k, v, out, k.shape[0], k.shape[1]"
// sixteen blocks a head, each a running softmax over its keys, eight halves a load; a second launch joins them
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ __forceinline__ void unpack(uint4 r, float* f) {
    const __half2* h = (const __half2*)&r;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 x = __half22float2(h[i]);
        f[2 * i] = x.x;
        f[2 * i + 1] = x.y;
    }
}
__global__ void __launch_bounds__(128) da_split(const uint4* __restrict__ q, const uint4* __restrict__ k, const uint4* __restrict__ v, float* __restrict__ part, int s, int each) {
    __shared__ float sums[8][128], tops[8], alls[8];
    int t = threadIdx.x, sub = t % 16, group = t / 16, head = blockIdx.y, first = blockIdx.x * each, last = min(s, first + each);
    float qf[8], acc[8] = {}, most = -1e30f, all = 0.f;
    unpack(q[head * 16 + sub], qf);
    for (int base = first; base < last; base += 8) {
        int i = base + group;
        float kf[8], vf[8], sum = 0.f;
        size_t at = ((size_t)head * s + min(i, last - 1)) * 16 + sub;
        uint4 kr = k[at], vr = v[at];
        unpack(kr, kf);
#pragma unroll
        for (int d = 0; d < 8; ++d) sum += qf[d] * kf[d];
#pragma unroll
        for (int o = 8; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
        sum = i < last ? sum * 0.08838834764f : -1e30f;
        float top = fmaxf(most, sum), keep = __expf(most - top), e = i < last ? __expf(sum - top) : 0.f;
        unpack(vr, vf);
#pragma unroll
        for (int d = 0; d < 8; ++d) acc[d] = acc[d] * keep + e * vf[d];
        all = all * keep + e;
        most = top;
    }
#pragma unroll
    for (int d = 0; d < 8; ++d) sums[group][sub * 8 + d] = acc[d];
    if (sub == 0) { tops[group] = most; alls[group] = all; }
    __syncthreads();
    float top = -1e30f, sum = 0.f, whole = 0.f;
    for (int g = 0; g < 8; ++g) top = fmaxf(top, tops[g]);
    for (int g = 0; g < 8; ++g) {
        float f = __expf(tops[g] - top);
        sum += f * sums[g][t];
        whole += f * alls[g];
    }
    float* mine = part + (size_t)(head * gridDim.x + blockIdx.x) * 130;
    mine[t] = sum;
    if (t == 0) { mine[128] = top; mine[129] = whole; }
}
__global__ void da_join(const float* part, __half* out, int parts) {
    int t = threadIdx.x;
    const float* mine = part + (size_t)blockIdx.x * parts * 130;
    float top = -1e30f, sum = 0.f, whole = 0.f;
    for (int i = 0; i < parts; ++i) top = fmaxf(top, mine[i * 130 + 128]);
    for (int i = 0; i < parts; ++i) {
        float f = __expf(mine[i * 130 + 128] - top);
        sum += f * mine[i * 130 + t];
        whole += f * mine[i * 130 + 129];
    }
    out[blockIdx.x * 128 + t] = __float2half(sum / whole);
}
extern "C" void decode_attention(const __half* q, const __half* k, const __half* v, __half* out, int heads, int s, cudaStream_t stream) {
    static float* ws = nullptr;
    static int cap = 0;
    if (cap < heads) { if (ws) cudaFree(ws); cudaMalloc(&ws, sizeof(float) * heads * 16 * 130); cap = heads; }
    int each = (s + 15) / 16;
    da_split<<<dim3(16, heads), 128, 0, stream>>>((const uint4*)q, (const uint4*)k, (const uint4*)v, ws, s, each);
    da_join<<<heads, 128, 0, stream>>>(ws, out, 16);
}
