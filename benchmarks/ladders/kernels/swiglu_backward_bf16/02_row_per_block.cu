// kernelwright: task=../../tasks/swiglu_backward_bf16.py entry=swiglu_back args="x, dy, out, dy.shape[0], dy.shape[1]"
// a block a row, its threads stride over the columns
#include <cuda_bf16.h>

__global__ void sb_row(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ dy, __nv_bfloat16* __restrict__ out, int h) {
    size_t row = blockIdx.x;
    const __nv_bfloat16 *gp = x + row * 2 * h, *up = gp + h, *dp = dy + row * h;
    __nv_bfloat16 *og = out + row * 2 * h, *ou = og + h;
    for (int c = threadIdx.x; c < h; c += blockDim.x) {
        float gate = __bfloat162float(gp[c]), u = __bfloat162float(up[c]), d = __bfloat162float(dp[c]);
        float s = 1.0f / (1.0f + expf(-gate));
        og[c] = __float2bfloat16(d * u * s * (1.0f + gate * (1.0f - s)));
        ou[c] = __float2bfloat16(d * gate * s);
    }
}
extern "C" void swiglu_back(const __nv_bfloat16* x, const __nv_bfloat16* dy, __nv_bfloat16* out, int t, int h, cudaStream_t stream) {
    sb_row<<<t, 256, 0, stream>>>(x, dy, out, h);
}
