// kernelwright: task=../../tasks/selective_scan.py entry=selective args="x, dt, a, b, c, out, x.shape[0], x.shape[1], x.shape[2]"
// chunks of 64 steps: their last states from zero, the states between chunks, then the results
#include <cuda_runtime.h>

__device__ float s4_state[4 * 16 * 16 * 1024], s4_time[4 * 16 * 1024];

template <bool LAST>
__global__ void __launch_bounds__(128) s4_chunk(const float* __restrict__ x, const float* __restrict__ dt, const float* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                                                float* __restrict__ out, int len, int d) {
    int ch = blockIdx.x * 128 + threadIdx.x, chunks = len / 64;
    size_t at = (size_t)blockIdx.z * chunks + blockIdx.y, row = (size_t)blockIdx.z * len + blockIdx.y * 64;
    float h[16], av[16], total = 0.f;
#pragma unroll
    for (int s = 0; s < 16; ++s) {
        av[s] = a[ch * 16 + s] * 1.4426950408889634f;
        h[s] = LAST ? s4_state[(at * 16 + s) * d + ch] : 0.f;
    }
#pragma unroll 2
    for (int t = 0; t < 64; ++t, ++row) {
        float step = dt[row * d + ch], in = step * x[row * d + ch], y = 0.f;
        total += step;
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            float4 bv = b[row * 4 + q];
            h[q * 4] = exp2f(step * av[q * 4]) * h[q * 4] + in * bv.x;
            h[q * 4 + 1] = exp2f(step * av[q * 4 + 1]) * h[q * 4 + 1] + in * bv.y;
            h[q * 4 + 2] = exp2f(step * av[q * 4 + 2]) * h[q * 4 + 2] + in * bv.z;
            h[q * 4 + 3] = exp2f(step * av[q * 4 + 3]) * h[q * 4 + 3] + in * bv.w;
            if (LAST) {
                float4 cv = c[row * 4 + q];
                y += h[q * 4] * cv.x + h[q * 4 + 1] * cv.y + h[q * 4 + 2] * cv.z + h[q * 4 + 3] * cv.w;
            }
        }
        if (LAST) out[row * d + ch] = y;
    }
    if (!LAST) {
#pragma unroll
        for (int s = 0; s < 16; ++s) s4_state[(at * 16 + s) * d + ch] = h[s];
        s4_time[at * d + ch] = total;
    }
}
__global__ void __launch_bounds__(256) s4_between(const float* __restrict__ a, int chunks, int d) {
    int ch = blockIdx.x * 256 + threadIdx.x, s = blockIdx.y;
    if (ch >= d) return;
    float av = a[ch * 16 + s] * 1.4426950408889634f, h = 0.f;
    for (int k = 0; k < chunks; ++k) {
        size_t at = (size_t)blockIdx.z * chunks + k;
        float* p = &s4_state[(at * 16 + s) * d + ch];
        float end = *p;
        *p = h;
        h = exp2f(s4_time[at * d + ch] * av) * h + end;
    }
}
extern "C" void selective(const float* x, const float* dt, const float* a, const float* b, const float* c, float* out, int n, int len, int d, cudaStream_t stream) {
    dim3 grid(d / 128, len / 64, n);
    s4_chunk<false><<<grid, 128, 0, stream>>>(x, dt, a, (const float4*)b, (const float4*)c, out, len, d);
    s4_between<<<dim3((d + 255) / 256, 16, n), 256, 0, stream>>>(a, len / 64, d);
    s4_chunk<true><<<grid, 128, 0, stream>>>(x, dt, a, (const float4*)b, (const float4*)c, out, len, d);
}
