// kernelwright: task=../../tasks/paged_decode.py entry=paged args="q, k, v, table, length, out, table.shape[0], k.shape[2], table.shape[1]"
// a block a query head, a warp a key and four dimensions a lane, running maximum, warps merged at the end
#include <cuda_fp16.h>

__device__ __forceinline__ float4 pd_load(const __half* p) {
    uint2 u = *(const uint2*)p;
    float2 a = __half22float2(*(__half2*)&u.x), b = __half22float2(*(__half2*)&u.y);
    return make_float4(a.x, a.y, b.x, b.y);
}
__global__ void __launch_bounds__(256) pd_warp(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, const int* __restrict__ table, const int* __restrict__ length, __half* __restrict__ out, int kv, int pages) {
    __shared__ float part[8][128], tops[8], sums[8];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, head = blockIdx.x, b = blockIdx.y, n = length[b], kh = head / 4;
    float4 qv = pd_load(q + ((size_t)b * kv * 4 + head) * 128 + lane * 4);
    float top = -INFINITY, sum = 0.f;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int i = w; i < n; i += 8) {
        size_t at = (((size_t)table[b * pages + i / 16] * 16 + i % 16) * kv + kh) * 128 + lane * 4;
        float4 kk = pd_load(k + at), vv = pd_load(v + at);
        float s = qv.x * kk.x + qv.y * kk.y + qv.z * kk.z + qv.w * kk.w;
        for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
        s *= 0.08838834764f;
        float now = fmaxf(top, s), keep = __expf(top - now), p = __expf(s - now);
        top = now;
        sum = sum * keep + p;
        acc.x = acc.x * keep + p * vv.x;
        acc.y = acc.y * keep + p * vv.y;
        acc.z = acc.z * keep + p * vv.z;
        acc.w = acc.w * keep + p * vv.w;
    }
    *(float4*)&part[w][lane * 4] = acc;
    if (lane == 0) {
        tops[w] = top;
        sums[w] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        float all = tops[0], s = 0.f, r = 0.f;
        for (int i = 1; i < 8; ++i) all = fmaxf(all, tops[i]);
        for (int i = 0; i < 8; ++i) {
            float f = __expf(tops[i] - all);
            s += f * sums[i];
            r += f * part[i][threadIdx.x];
        }
        out[((size_t)b * kv * 4 + head) * 128 + threadIdx.x] = __float2half(r / s);
    }
}
extern "C" void paged(const __half* q, const __half* k, const __half* v, const int* table, const int* length, __half* out, int b, int kv, int pages, cudaStream_t stream) {
    pd_warp<<<dim3(kv * 4, b), 256, 0, stream>>>(q, k, v, table, length, out, kv, pages);
}
