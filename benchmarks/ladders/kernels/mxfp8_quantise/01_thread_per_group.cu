// kernelwright: task=../../tasks/mxfp8_quantise.py entry=mx_quantise args="x, out, x.shape[0], x.shape[1]"
// a thread a group of 32 values, two passes, a byte a store
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void mx_thread(const __nv_bfloat16* x, unsigned char* out, int groups, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups) return;
    int per_row = d / 32, r = i / per_row, g = i % per_row;
    const __nv_bfloat16* from = x + (size_t)r * d + g * 32;
    float top = 0.0f;
    for (int j = 0; j < 32; ++j) top = fmaxf(top, fabsf(__bfloat162float(from[j])));
    unsigned bits = __float_as_uint(top);
    int e = (int)(bits >> 23) - 8 + ((bits & 0x7fffffu) > 0x600000u);
    float factor = __uint_as_float((unsigned)(254 - e) << 23);
    unsigned char* to = out + (size_t)r * (d + per_row);
    for (int j = 0; j < 32; ++j) to[g * 32 + j] = __nv_cvt_float_to_fp8(__bfloat162float(from[j]) * factor, __NV_SATFINITE, __NV_E4M3);
    to[d + g] = (unsigned char)e;
}
extern "C" void mx_quantise(const __nv_bfloat16* x, unsigned char* out, int rows, int d, cudaStream_t stream) {
    int groups = rows * (d / 32);
    mx_thread<<<(groups + 127) / 128, 128, 0, stream>>>(x, out, groups, d);
}
