// kernelwright: task=../../tasks/kth_rows.py entry=kth_rows args="x, out, x.shape[0], 2047"
// sixteen values a thread in registers, three rounds of eleven bits, sums by shuffles
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned kr_order(float f) {
    unsigned u = __float_as_uint(f);
    return u >> 31 ? ~u : u | 0x80000000u;
}
__global__ void __launch_bounds__(256) kr_digits(const float4* __restrict__ x, float* __restrict__ out, int k) {
    __shared__ int h[2048], w[8], digit, rest;
    int t = threadIdx.x;
    unsigned v[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float4 f = x[(size_t)blockIdx.x * 1024 + i * 256 + t];
        v[i * 4] = kr_order(f.x);
        v[i * 4 + 1] = kr_order(f.y);
        v[i * 4 + 2] = kr_order(f.z);
        v[i * 4 + 3] = kr_order(f.w);
    }
    unsigned have = 0, mask = 0;
#pragma unroll
    for (int round = 0; round < 3; ++round) {
        const int shift = round == 0 ? 21 : round == 1 ? 10 : 0;
        const unsigned top = round == 2 ? 1023u : 2047u;
#pragma unroll
        for (int i = 0; i < 8; ++i) h[i * 256 + t] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i)
            if ((v[i] & mask) == have) atomicAdd(&h[v[i] >> shift & top], 1);
        __syncthreads();
        int4 lo = *(int4*)&h[t * 8], hi = *(int4*)&h[t * 8 + 4];
        int c[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w}, own = 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) own += c[i];
        int s = own;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int o = __shfl_up_sync(~0u, s, d);
            if (t % 32 >= d) s += o;
        }
        if (t % 32 == 31) w[t / 32] = s;
        __syncthreads();
        for (int i = 0; i < t / 32; ++i) s += w[i];
        s -= own;
        if (k >= s && k < s + own) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                if (k >= s && k < s + c[i]) {
                    digit = t * 8 + i;
                    rest = k - s;
                }
                s += c[i];
            }
        }
        __syncthreads();
        have |= (unsigned)digit << shift;
        mask |= top << shift;
        k = rest;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = __uint_as_float(have >> 31 ? have & 0x7fffffffu : ~have);
}
extern "C" void kth_rows(const float* x, float* out, int rows, int k, cudaStream_t stream) {
    kr_digits<<<rows, 256, 0, stream>>>((const float4*)x, out, k);
}
