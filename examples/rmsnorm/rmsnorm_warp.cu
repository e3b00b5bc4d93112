// A bare kernel: one warp a row, four rows a block, two elements an access.
// kernelwright: task=rmsnorm.py entry=rmsnorm args="x, weight, out, x.shape[0], x.shape[1] // 2, eps" \
//     grid="ceil_div(x.shape[0], 4)" block="(32, 4)"
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void rmsnorm(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
                        __nv_bfloat16* __restrict__ y, int rows, int pairs, float eps) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    const __nv_bfloat162* in = reinterpret_cast<const __nv_bfloat162*>(x) + (size_t)row * pairs;
    const __nv_bfloat162* w = reinterpret_cast<const __nv_bfloat162*>(weight);
    __nv_bfloat162* out = reinterpret_cast<__nv_bfloat162*>(y) + (size_t)row * pairs;

    float squares = 0.0f;
    for (int p = threadIdx.x; p < pairs; p += 32) {
        const float2 v = __bfloat1622float2(in[p]);
        squares += v.x * v.x + v.y * v.y;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        squares += __shfl_xor_sync(0xffffffffu, squares, offset);
    }
    const float scale = rsqrtf(squares / (2 * pairs) + eps);
    for (int p = threadIdx.x; p < pairs; p += 32) {
        const float2 v = __bfloat1622float2(in[p]);
        const float2 g = __bfloat1622float2(w[p]);
        out[p] = __floats2bfloat162_rn(v.x * scale * g.x, v.y * scale * g.y);
    }
}
