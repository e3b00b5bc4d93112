// kernelwright: task=../../tasks/mxfp8_quantise.py entry=mx_quantise args="x, out, x.shape[0], x.shape[1]"
// four lanes a group, eight values a lane in one load, pairs converted at once
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void __launch_bounds__(256) mx_four(const uint4* __restrict__ x, unsigned char* __restrict__ out, int d) {
    int d8 = d / 8;
    unsigned char* row = out + (size_t)blockIdx.x * (d + d / 32);
    for (int c = threadIdx.x; c < d8; c += 256) {
        uint4 u = x[(size_t)blockIdx.x * d8 + c];
        const __nv_bfloat162* h = (const __nv_bfloat162*)&u;
        float2 f[4];
        float top = 0.f;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            f[j] = __bfloat1622float2(h[j]);
            top = fmaxf(top, fmaxf(fabsf(f[j].x), fabsf(f[j].y)));
        }
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        unsigned bits = __float_as_uint(top);
        int e = (int)(bits >> 23) - 8 + ((bits & 0x7fffffu) > 0x600000u);
        float s = __uint_as_float((unsigned)(254 - e) << 23);
        unsigned short p[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) p[j] = __nv_cvt_float2_to_fp8x2(make_float2(f[j].x * s, f[j].y * s), __NV_SATFINITE, __NV_E4M3);
        *(uint2*)(row + c * 8) = make_uint2(p[0] | (unsigned)p[1] << 16, p[2] | (unsigned)p[3] << 16);
        if (c % 4 == 0) row[d + c / 4] = (unsigned char)e;
    }
}
extern "C" void mx_quantise(const __nv_bfloat16* x, unsigned char* out, int rows, int d, cudaStream_t stream) {
    mx_four<<<rows, 256, 0, stream>>>((const uint4*)x, out, d);
}
