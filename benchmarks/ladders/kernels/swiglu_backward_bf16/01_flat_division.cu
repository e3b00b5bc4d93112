// kernelwright: task=../../tasks/swiglu_backward_bf16.py entry=swiglu_back args="x, dy, out, dy.shape[0], dy.shape[1]"
// a thread an element of the gradient, its row and column by division
#include <cuda_bf16.h>

__global__ void sb_flat(const __nv_bfloat16* x, const __nv_bfloat16* dy, __nv_bfloat16* out, int t, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t * h) return;
    int r = i / h, c = i % h;
    float gate = __bfloat162float(x[(size_t)r * 2 * h + c]), up = __bfloat162float(x[(size_t)r * 2 * h + h + c]), d = __bfloat162float(dy[i]);
    float s = 1.0f / (1.0f + expf(-gate));
    out[(size_t)r * 2 * h + c] = __float2bfloat16(d * up * s * (1.0f + gate * (1.0f - s)));
    out[(size_t)r * 2 * h + h + c] = __float2bfloat16(d * gate * s);
}
extern "C" void swiglu_back(const __nv_bfloat16* x, const __nv_bfloat16* dy, __nv_bfloat16* out, int t, int h, cudaStream_t stream) {
    sb_flat<<<(t * h + 255) / 256, 256, 0, stream>>>(x, dy, out, t, h);
}
