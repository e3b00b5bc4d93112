// kernelwright: task=../../tasks/swiglu_backward_bf16.py entry=swiglu_back args="x, dy, out, dy.shape[0], dy.shape[1]"
// eight columns a thread, sixteen bytes a load, fast exponential and division
#include <cuda_bf16.h>

__global__ void __launch_bounds__(352) sb_eight(const uint4* __restrict__ x, const uint4* __restrict__ dy, uint4* __restrict__ out, int h8) {
    int c = threadIdx.x;
    size_t row = blockIdx.x;
    uint4 a = x[row * 2 * h8 + c], b = x[row * 2 * h8 + h8 + c], e = dy[row * h8 + c], p, q;
    const __nv_bfloat162 *ga = (const __nv_bfloat162*)&a, *ub = (const __nv_bfloat162*)&b, *de = (const __nv_bfloat162*)&e;
    __nv_bfloat162 *po = (__nv_bfloat162*)&p, *qo = (__nv_bfloat162*)&q;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 g = __bfloat1622float2(ga[i]), u = __bfloat1622float2(ub[i]), d = __bfloat1622float2(de[i]);
        float s0 = __fdividef(1.f, 1.f + __expf(-g.x)), s1 = __fdividef(1.f, 1.f + __expf(-g.y));
        po[i] = __floats2bfloat162_rn(d.x * u.x * s0 * (1.f + g.x * (1.f - s0)), d.y * u.y * s1 * (1.f + g.y * (1.f - s1)));
        qo[i] = __floats2bfloat162_rn(d.x * g.x * s0, d.y * g.y * s1);
    }
    out[row * 2 * h8 + c] = p;
    out[row * 2 * h8 + h8 + c] = q;
}
extern "C" void swiglu_back(const __nv_bfloat16* x, const __nv_bfloat16* dy, __nv_bfloat16* out, int t, int h, cudaStream_t stream) {
    sb_eight<<<t, h / 8, 0, stream>>>((const uint4*)x, (const uint4*)dy, (uint4*)out, h / 8);
}
