// kernelwright: task=../../tasks/causal_conv_silu.py entry=causal_conv args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2]"
// eight outputs a thread: its eight samples in one load and the four before in another
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) cc_eight(const __half* __restrict__ x, const float4* __restrict__ w, const float* __restrict__ b, __half* __restrict__ out, int c, int l) {
    int ch = blockIdx.x % c, i = threadIdx.x * 8;
    size_t base = (size_t)blockIdx.x * l + i;
    float4 f = w[ch];
    float bias = b[ch], v[12];
    uint4 u = *(const uint4*)(x + base);
    uint2 before = i ? *(const uint2*)(x + base - 4) : make_uint2(0, 0);
    const __half2 *h = (const __half2*)&u, *p = (const __half2*)&before;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        float2 a = __half22float2(p[j]);
        v[2 * j] = a.x;
        v[2 * j + 1] = a.y;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float2 a = __half22float2(h[j]);
        v[4 + 2 * j] = a.x;
        v[5 + 2 * j] = a.y;
    }
    uint4 r;
    __half2* o = (__half2*)&r;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float s[2];
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            int q = 2 * j + k;
            s[k] = bias + f.x * v[q + 1] + f.y * v[q + 2] + f.z * v[q + 3] + f.w * v[q + 4];
            s[k] = __fdividef(s[k], 1.f + __expf(-s[k]));
        }
        o[j] = __floats2half2_rn(s[0], s[1]);
    }
    *(uint4*)(out + base) = r;
}
extern "C" void causal_conv(const __half* x, const float* w, const float* b, __half* out, int n, int c, int l, cudaStream_t stream) {
    cc_eight<<<n * c, l / 8, 0, stream>>>(x, (const float4*)w, b, out, c, l);
}
