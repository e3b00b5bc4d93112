// kernelwright: task=../../tasks/tiny_mlp_half.py entry=tiny_mlp args="x, w1, w2, w3, out, x.shape[0]"
// a thread a point, products of two halves at once: sums of eight in halves, then added to floats
#include <cuda_fp16.h>

template <int N>
__device__ __forceinline__ void mlp_layer(const __half* h, const __half2* w, float2 (&acc)[N]) {
#pragma unroll
    for (int j = 0; j < N; ++j) acc[j] = make_float2(0.f, 0.f);
#pragma unroll 1
    for (int k = 0; k < 64; k += 8) {
        __half2 v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) v[i] = __half2half2(h[(k + i) * 130]);
#pragma unroll
        for (int j = 0; j < N; ++j) {
            __half2 s = __hmul2(v[0], w[k * N + j]);
#pragma unroll
            for (int i = 1; i < 8; ++i) s = __hfma2(v[i], w[(k + i) * N + j], s);
            float2 f = __half22float2(s);
            acc[j].x += f.x;
            acc[j].y += f.y;
        }
    }
}
template <int N>
__device__ __forceinline__ void mlp_relu(__half* h, const float2 (&acc)[N]) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
        h[2 * j * 130] = __float2half(fmaxf(acc[j].x, 0.f));
        h[(2 * j + 1) * 130] = __float2half(fmaxf(acc[j].y, 0.f));
    }
}
__global__ void __launch_bounds__(128) mlp_pairs(const __half* __restrict__ x, const uint4* __restrict__ w1, const uint4* __restrict__ w2, const uint4* __restrict__ w3, float4* __restrict__ out) {
    __shared__ __half h[64][130];
    __shared__ __align__(16) __half2 s1[2048], s2[2048], s3[512];
    int t = threadIdx.x, p = blockIdx.x * 128 + t;
    for (int i = t; i < 512; i += 128) {
        ((uint4*)s1)[i] = w1[i];
        ((uint4*)s2)[i] = w2[i];
    }
    ((uint4*)s3)[t] = w3[t];
    for (int i = t; i < 8192; i += 128) h[i % 64][i / 64] = x[(size_t)blockIdx.x * 8192 + i];
    __syncthreads();
    float2 acc[32], o[8];
    mlp_layer<32>(&h[0][t], s1, acc);
    mlp_relu<32>(&h[0][t], acc);
    mlp_layer<32>(&h[0][t], s2, acc);
    mlp_relu<32>(&h[0][t], acc);
    mlp_layer<8>(&h[0][t], s3, o);
#pragma unroll
    for (int j = 0; j < 4; ++j) out[(size_t)p * 4 + j] = make_float4(o[2 * j].x, o[2 * j].y, o[2 * j + 1].x, o[2 * j + 1].y);
}
extern "C" void tiny_mlp(const __half* x, const __half* w1, const __half* w2, const __half* w3, float* out, int p, cudaStream_t stream) {
    mlp_pairs<<<p / 128, 128, 0, stream>>>(x, (const uint4*)w1, (const uint4*)w2, (const uint4*)w3, (float4*)out);
}
