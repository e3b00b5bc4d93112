// kernelwright: task=../../tasks/layernorm.py entry=layernorm args="x, weight, bias, out, x.shape[0], x.shape[1]"
// a warp a row of 1024, eight float4 a lane in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ln_warp4(const float4* x, const float4* w, const float4* b, float4* out, int rows, int d4) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float4 v[8];
    float s = 0.f, q = 0.f;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        v[i] = x[(size_t)r * d4 + i * 32 + lane];
        s += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    float mean = s / (4 * d4);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        v[i].x -= mean; v[i].y -= mean; v[i].z -= mean; v[i].w -= mean;
        q += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    for (int o = 16; o; o >>= 1) q += __shfl_xor_sync(0xffffffffu, q, o);
    float inv = rsqrtf(q / (4 * d4) + 1e-5f);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float4 g = w[i * 32 + lane], h = b[i * 32 + lane];
        out[(size_t)r * d4 + i * 32 + lane] = make_float4(v[i].x * inv * g.x + h.x, v[i].y * inv * g.y + h.y, v[i].z * inv * g.z + h.z, v[i].w * inv * g.w + h.w);
    }
}
extern "C" void layernorm(const float* x, const float* weight, const float* bias, float* out, int rows, int d, cudaStream_t stream) {
    ln_warp4<<<(rows + 3) / 4, 128, 0, stream>>>((const float4*)x, (const float4*)weight, (const float4*)bias, (float4*)out, rows, d / 4);
}
