#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Products and sums of pairs, stored straight from a call.
__global__ void pairs(const __half2* x, __half2* out) {
    int i = threadIdx.x;
    __half2 v = x[i];
    for (int k = 0; k < 16; ++k) v = __hfma2(v, v, v);
    out[i] = __hmax2(v, __float2half2_rn(0.5f));
}
__global__ void packed(const float* x, __nv_bfloat162* out) {
    int i = threadIdx.x;
    out[i] = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]);
}
extern "C" void run(const void* x, void* out, int which) {
    if (which == 0) pairs<<<1, 32>>>((const __half2*)x, (__half2*)out);
    if (which == 1) packed<<<1, 32>>>((const float*)x, (__nv_bfloat162*)out);
}
