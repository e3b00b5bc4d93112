// kernelwright: task=../../tasks/rmsnorm_bf16.py entry=rmsnorm_bf16 args="x, weight, out, x.shape[0], x.shape[1]"
// a warp a row, eight elements a load, the row read twice
#include <cuda_bf16.h>

__global__ void rn_warp8(const uint4* x, const uint4* w, uint4* out, int rows, int d8) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const uint4* row = x + (size_t)r * d8;
    float q = 0.f;
    for (int i = lane; i < d8; i += 32) {
        uint4 v = row[i];
        const __nv_bfloat162* h = (const __nv_bfloat162*)&v;
        for (int j = 0; j < 4; ++j) { float2 p = __bfloat1622float2(h[j]); q += p.x * p.x + p.y * p.y; }
    }
    for (int o = 16; o; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    float f = rsqrtf(q / (8 * d8) + 1e-6f);
    for (int i = lane; i < d8; i += 32) {
        uint4 v = row[i], u = w[i];
        __nv_bfloat162 *h = (__nv_bfloat162*)&v, *g = (__nv_bfloat162*)&u;
        for (int j = 0; j < 4; ++j) {
            float2 p = __bfloat1622float2(h[j]), k = __bfloat1622float2(g[j]);
            h[j] = __floats2bfloat162_rn(p.x * f * k.x, p.y * f * k.y);
        }
        out[(size_t)r * d8 + i] = v;
    }
}
extern "C" void rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, int rows, int d, cudaStream_t stream) {
    rn_warp8<<<(rows + 7) / 8, 256, 0, stream>>>((const uint4*)x, (const uint4*)weight, (uint4*)out, rows, d / 8);
}
