// kernelwright: task=../../tasks/swiglu_backward_bf16.py entry=swiglu_back args="x, dy, out, dy.shape[0], dy.shape[1]"
// two columns a thread, a pair of bfloat16 a load
#include <cuda_bf16.h>

__global__ void __launch_bounds__(128) sb_pairs(const __nv_bfloat162* __restrict__ x, const __nv_bfloat162* __restrict__ dy, __nv_bfloat162* __restrict__ out, int h2) {
    int c = blockIdx.x * 128 + threadIdx.x;
    if (c >= h2) return;
    size_t row = blockIdx.y;
    float2 g = __bfloat1622float2(x[row * 2 * h2 + c]), u = __bfloat1622float2(x[row * 2 * h2 + h2 + c]), d = __bfloat1622float2(dy[row * h2 + c]);
    float s0 = 1.f / (1.f + __expf(-g.x)), s1 = 1.f / (1.f + __expf(-g.y));
    out[row * 2 * h2 + c] = __floats2bfloat162_rn(d.x * u.x * s0 * (1.f + g.x * (1.f - s0)), d.y * u.y * s1 * (1.f + g.y * (1.f - s1)));
    out[row * 2 * h2 + h2 + c] = __floats2bfloat162_rn(d.x * g.x * s0, d.y * g.y * s1);
}
extern "C" void swiglu_back(const __nv_bfloat16* x, const __nv_bfloat16* dy, __nv_bfloat16* out, int t, int h, cudaStream_t stream) {
    sb_pairs<<<dim3((h / 2 + 127) / 128, t), 128, 0, stream>>>((const __nv_bfloat162*)x, (const __nv_bfloat162*)dy, (__nv_bfloat162*)out, h / 2);
}
