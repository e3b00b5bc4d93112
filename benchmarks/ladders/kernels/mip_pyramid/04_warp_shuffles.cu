// kernelwright: task=../../tasks/mip_pyramid.py entry=pyramid args="x, out, x.shape[0], x.shape[1]"
// a warp makes everything below a square of 32 x 16: float4 loads of four rows a lane, levels by shuffles; sides divisible by 32
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) py_warp(const float4* __restrict__ from, float* __restrict__ out, int H, int W) {
    int lane = threadIdx.x % 32, warp = blockIdx.x * 8 + threadIdx.x / 32, across = W / 32;
    if (warp >= across * (H / 16)) return;
    int lx = lane % 8, ly = lane / 8, x = warp % across * 8 + lx, y = warp / across * 16 + ly * 4, w = W / 4;
    float4 r0 = from[(size_t)y * w + x], r1 = from[(size_t)(y + 1) * w + x], r2 = from[(size_t)(y + 2) * w + x], r3 = from[(size_t)(y + 3) * w + x];
    float2 a = make_float2((r0.x + r0.y + r1.x + r1.y) * 0.25f, (r0.z + r0.w + r1.z + r1.w) * 0.25f);
    float2 b = make_float2((r2.x + r2.y + r3.x + r3.y) * 0.25f, (r2.z + r2.w + r3.z + r3.w) * 0.25f);
    ((float2*)out)[(size_t)(y / 2) * w + x] = a;
    ((float2*)out)[(size_t)(y / 2 + 1) * w + x] = b;
    out += (size_t)H / 2 * (W / 2);
    float v = (a.x + a.y + b.x + b.y) * 0.25f;
    out[(size_t)(y / 4) * w + x] = v;
    out += (size_t)H / 4 * w;
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    v += __shfl_xor_sync(0xffffffffu, v, 8);
    v *= 0.25f;
    if (lx % 2 == 0 && ly % 2 == 0) out[(size_t)(y / 8) * (w / 2) + x / 2] = v;
    out += (size_t)H / 8 * (w / 2);
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    v += __shfl_xor_sync(0xffffffffu, v, 16);
    v *= 0.25f;
    if (lx % 4 == 0 && ly == 0) out[(size_t)(y / 16) * (w / 4) + x / 4] = v;
}
extern "C" void pyramid(const float* x, float* out, int H, int W, cudaStream_t stream) {
    int warps = W / 32 * (H / 16);
    py_warp<<<(warps + 7) / 8, 256, 0, stream>>>((const float4*)x, out, H, W);
}
