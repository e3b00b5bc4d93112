// kernelwright: task=../../tasks/triplet_margin_bf16.py entry=triplet args="anchor, positive, negative, out, anchor.shape[0], anchor.shape[1]"
// 16 bytes a load; D a multiple of 8
#include <cuda_bf16.h>

__device__ __forceinline__ void add(unsigned x, unsigned y, unsigned z, float& near, float& far) {
    float x0 = __uint_as_float(x << 16), x1 = __uint_as_float(x & 0xffff0000u);
    float u0 = x0 - __uint_as_float(y << 16) + 1e-6f, u1 = x1 - __uint_as_float(y & 0xffff0000u) + 1e-6f;
    float v0 = x0 - __uint_as_float(z << 16) + 1e-6f, v1 = x1 - __uint_as_float(z & 0xffff0000u) + 1e-6f;
    near = fmaf(u0, u0, fmaf(u1, u1, near));
    far = fmaf(v0, v0, fmaf(v1, v1, far));
}

__global__ void __launch_bounds__(256) triplet_k(const uint4* __restrict__ a, const uint4* __restrict__ p,
                                                 const uint4* __restrict__ n, float* __restrict__ out, int R, int D8) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= R) return;
    size_t base = (size_t)row * D8;
    float near = 0.f, far = 0.f;
    for (int d = lane; d < D8; d += 32) {
        uint4 x = a[base + d], y = p[base + d], z = n[base + d];
        add(x.x, y.x, z.x, near, far);
        add(x.y, y.y, z.y, near, far);
        add(x.z, y.z, z.z, near, far);
        add(x.w, y.w, z.w, near, far);
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        near += __shfl_xor_sync(0xffffffff, near, o);
        far += __shfl_xor_sync(0xffffffff, far, o);
    }
    if (lane == 0) out[row] = fmaxf(sqrtf(near) - sqrtf(far) + 1.0f, 0.0f);
}

extern "C" void triplet(const __nv_bfloat16* a, const __nv_bfloat16* p, const __nv_bfloat16* n, float* out, int R, int D, cudaStream_t stream) {
    triplet_k<<<(R + 7) / 8, 256, 0, stream>>>((const uint4*)a, (const uint4*)p, (const uint4*)n, out, R, D / 8);
}
