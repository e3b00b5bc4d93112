// kernelwright: task=../../tasks/rmsnorm_bf16.py entry=rmsnorm_bf16 args="x, weight, out, x.shape[0], x.shape[1]"
// a warp a row, element by element
#include <cuda_bf16.h>

__global__ void rn_warp(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* out, int rows, int d) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const __nv_bfloat16* row = x + (size_t)r * d;
    float q = 0.f;
    for (int i = lane; i < d; i += 32) { float v = __bfloat162float(row[i]); q += v * v; }
    for (int o = 16; o; o /= 2) q += __shfl_xor_sync(~0u, q, o);
    float f = rsqrtf(q / d + 1e-6f);
    for (int i = lane; i < d; i += 32)
        out[(size_t)r * d + i] = __float2bfloat16(__bfloat162float(row[i]) * f * __bfloat162float(w[i]));
}
extern "C" void rmsnorm_bf16(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, int rows, int d, cudaStream_t stream) {
    rn_warp<<<(rows + 3) / 4, 128, 0, stream>>>(x, weight, out, rows, d);
}
