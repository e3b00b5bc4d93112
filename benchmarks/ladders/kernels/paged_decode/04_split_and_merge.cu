// kernelwright: task=../../tasks/paged_decode.py entry=paged args="q, k, v, table, length, out, table.shape[0], k.shape[2], table.shape[1]"
// parts of 256 tokens, a block each, four query heads share keys; a second launch merges the parts
#include <cuda_fp16.h>

__device__ float ps_part[8 * 16 * 8 * 4 * 128], ps_top[8 * 16 * 8 * 4], ps_sum[8 * 16 * 8 * 4];

__device__ __forceinline__ float4 pd_load(const __half* p) {
    uint2 u = *(const uint2*)p;
    float2 a = __half22float2(*(__half2*)&u.x), b = __half22float2(*(__half2*)&u.y);
    return make_float4(a.x, a.y, b.x, b.y);
}
__global__ void __launch_bounds__(128) pd_split(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, const int* __restrict__ table, const int* __restrict__ length, int kv, int pages) {
    __shared__ float part[4][4][128], tops[4][4], sums[4][4];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, kh = blockIdx.x, b = blockIdx.y, from = blockIdx.z * 256, to = min(from + 256, length[b]);
    if (from >= to) return;
    float4 qv[4], acc[4];
    float top[4], sum[4];
#pragma unroll
    for (int h = 0; h < 4; ++h) {
        qv[h] = pd_load(q + (((size_t)b * kv + kh) * 4 + h) * 128 + lane * 4);
        acc[h] = make_float4(0.f, 0.f, 0.f, 0.f);
        top[h] = -1e30f;
        sum[h] = 0.f;
    }
    for (int i = from + w; i < to; i += 4) {
        size_t at = (((size_t)table[b * pages + i / 16] * 16 + i % 16) * kv + kh) * 128 + lane * 4;
        float4 kk = pd_load(k + at), vv = pd_load(v + at);
        float s[4];
#pragma unroll
        for (int h = 0; h < 4; ++h) s[h] = qv[h].x * kk.x + qv[h].y * kk.y + qv[h].z * kk.z + qv[h].w * kk.w;
#pragma unroll
        for (int o = 16; o; o /= 2)
#pragma unroll
            for (int h = 0; h < 4; ++h) s[h] += __shfl_xor_sync(~0u, s[h], o);
#pragma unroll
        for (int h = 0; h < 4; ++h) {
            float x = s[h] * 0.08838834764f, now = fmaxf(top[h], x), keep = __expf(top[h] - now), p = __expf(x - now);
            top[h] = now;
            sum[h] = sum[h] * keep + p;
            acc[h].x = acc[h].x * keep + p * vv.x;
            acc[h].y = acc[h].y * keep + p * vv.y;
            acc[h].z = acc[h].z * keep + p * vv.z;
            acc[h].w = acc[h].w * keep + p * vv.w;
        }
    }
#pragma unroll
    for (int h = 0; h < 4; ++h) {
        *(float4*)&part[w][h][lane * 4] = acc[h];
        if (lane == 0) {
            tops[w][h] = top[h];
            sums[w][h] = sum[h];
        }
    }
    __syncthreads();
    int d = threadIdx.x;
    for (int h = 0; h < 4; ++h) {
        float all = fmaxf(fmaxf(tops[0][h], tops[1][h]), fmaxf(tops[2][h], tops[3][h])), s = 0.f, r = 0.f;
        for (int i = 0; i < 4; ++i) {
            float f = __expf(tops[i][h] - all);
            s += f * sums[i][h];
            r += f * part[i][h][d];
        }
        int at = ((b * kv + kh) * 4 + h) * 8 + blockIdx.z;
        ps_part[at * 128 + d] = r;
        if (d == 0) {
            ps_top[at] = all;
            ps_sum[at] = s;
        }
    }
}
__global__ void __launch_bounds__(128) pd_merge(const int* __restrict__ length, __half* __restrict__ out, int heads) {
    int row = blockIdx.x, parts = (length[row / heads] + 255) / 256, d = threadIdx.x;
    float all = -1e30f, s = 0.f, r = 0.f;
    for (int i = 0; i < parts; ++i) all = fmaxf(all, ps_top[row * 8 + i]);
    for (int i = 0; i < parts; ++i) {
        float f = __expf(ps_top[row * 8 + i] - all);
        s += f * ps_sum[row * 8 + i];
        r += f * ps_part[(row * 8 + i) * 128 + d];
    }
    out[row * 128 + d] = __float2half(r / s);
}
extern "C" void paged(const __half* q, const __half* k, const __half* v, const int* table, const int* length, __half* out, int b, int kv, int pages, cudaStream_t stream) {
    pd_split<<<dim3(kv, b, 8), 128, 0, stream>>>(q, k, v, table, length, kv, pages);
    pd_merge<<<b * kv * 4, 128, 0, stream>>>(length, out, kv * 4);
}
