// kernelwright: task=../../tasks/mxfp8_quantise.py entry=mx_quantise args="x, out, x.shape[0], x.shape[1]"
// a warp a group, the largest by five shuffles, a byte a lane
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void __launch_bounds__(256) mx_warp(const __nv_bfloat16* __restrict__ x, unsigned char* __restrict__ out, int d) {
    int lane = threadIdx.x % 32, per_row = d / 32;
    for (int g = threadIdx.x / 32; g < per_row; g += 8) {
        float v = __bfloat162float(x[(size_t)blockIdx.x * d + g * 32 + lane]), top = fabsf(v);
        for (int o = 16; o; o /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
        unsigned bits = __float_as_uint(top);
        int e = (int)(bits >> 23) - 8 + ((bits & 0x7fffffu) > 0x600000u);
        unsigned char* to = out + (size_t)blockIdx.x * (d + per_row);
        to[g * 32 + lane] = __nv_cvt_float_to_fp8(v * __uint_as_float((unsigned)(254 - e) << 23), __NV_SATFINITE, __NV_E4M3);
        if (lane == 0) to[d + g] = (unsigned char)e;
    }
}
extern "C" void mx_quantise(const __nv_bfloat16* x, unsigned char* out, int rows, int d, cudaStream_t stream) {
    mx_warp<<<rows, 256, 0, stream>>>(x, out, d);
}
