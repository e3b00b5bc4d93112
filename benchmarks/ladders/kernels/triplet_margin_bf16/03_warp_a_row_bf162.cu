// kernelwright: task=../../tasks/triplet_margin_bf16.py entry=triplet args="anchor, positive, negative, out, anchor.shape[0], anchor.shape[1]"
// warp per row with bf16x2 loads (D even)
#include <cuda_bf16.h>

__global__ void triplet_k(const __nv_bfloat162* __restrict__ a, const __nv_bfloat162* __restrict__ p,
                          const __nv_bfloat162* __restrict__ n, float* __restrict__ out, int R, int D2) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= R) return;
    size_t base = (size_t)row * D2;
    float near = 0.f, far = 0.f;
    for (int d = lane; d < D2; d += 32) {
        float2 x = __bfloat1622float2(a[base + d]);
        float2 y = __bfloat1622float2(p[base + d]);
        float2 z = __bfloat1622float2(n[base + d]);
        float u0 = x.x - y.x + 1e-6f, u1 = x.y - y.y + 1e-6f;
        float v0 = x.x - z.x + 1e-6f, v1 = x.y - z.y + 1e-6f;
        near += u0 * u0 + u1 * u1;
        far += v0 * v0 + v1 * v1;
    }
    for (int o = 16; o > 0; o >>= 1) {
        near += __shfl_down_sync(0xffffffff, near, o);
        far += __shfl_down_sync(0xffffffff, far, o);
    }
    if (lane == 0) out[row] = fmaxf(sqrtf(near) - sqrtf(far) + 1.0f, 0.0f);
}

extern "C" void triplet(const __nv_bfloat16* a, const __nv_bfloat16* p, const __nv_bfloat16* n, float* out, int R, int D, cudaStream_t stream) {
    triplet_k<<<(R + 7) / 8, 256, 0, stream>>>((const __nv_bfloat162*)a, (const __nv_bfloat162*)p, (const __nv_bfloat162*)n, out, R, D / 2);
}
