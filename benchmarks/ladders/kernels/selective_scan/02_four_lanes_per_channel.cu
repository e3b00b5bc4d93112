// kernelwright: task=../../tasks/selective_scan.py entry=selective args="x, dt, a, b, c, out, x.shape[0], x.shape[1], x.shape[2]"
// four lanes a channel with four states each, their sum by two shuffles; powers of two
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) s2_lanes(const float* __restrict__ x, const float* __restrict__ dt, const float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                                                float* __restrict__ out, int len, int d) {
    int part = threadIdx.x % 4, ch = blockIdx.x * 32 + threadIdx.x / 4;
    float4 av = a[ch * 4 + part];
    const float l2e = 1.4426950408889634f;
    av = make_float4(av.x * l2e, av.y * l2e, av.z * l2e, av.w * l2e);
    float h0 = 0.f, h1 = 0.f, h2 = 0.f, h3 = 0.f;
    size_t row = (size_t)blockIdx.y * len;
    for (int t = 0; t < len; ++t, ++row) {
        float step = dt[row * d + ch], in = step * x[row * d + ch];
        float4 bv = b[row * 4 + part], cv = c[row * 4 + part];
        h0 = exp2f(step * av.x) * h0 + in * bv.x;
        h1 = exp2f(step * av.y) * h1 + in * bv.y;
        h2 = exp2f(step * av.z) * h2 + in * bv.z;
        h3 = exp2f(step * av.w) * h3 + in * bv.w;
        float y = h0 * cv.x + h1 * cv.y + h2 * cv.z + h3 * cv.w;
        y += __shfl_xor_sync(~0u, y, 1);
        y += __shfl_xor_sync(~0u, y, 2);
        if (part == 0) out[row * d + ch] = y;
    }
}
extern "C" void selective(const float* x, const float* dt, const float* a, const float* b, const float* c, float* out, int n, int len, int d, cudaStream_t stream) {
    s2_lanes<<<dim3(d / 32, n), 128, 0, stream>>>(x, dt, (const float4*)a, (const float4*)b, (const float4*)c, out, len, d);
}
