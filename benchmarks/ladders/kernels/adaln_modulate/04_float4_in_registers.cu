// kernelwright: task=../../tasks/adaln_modulate.py entry=modulate args="x, scale, shift, out, x.shape[0], x.shape[1], x.shape[2]"
// a warp a row, float4, the row stays in registers between the passes; D a multiple of 4 and at most 1152
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ada_vec(const float4* __restrict__ x, const float4* __restrict__ scale, const float4* __restrict__ shift, float4* __restrict__ out, int rows, int T, int D) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, Q = D / 4;
    if (r >= rows) return;
    const float4* row = x + (size_t)r * Q;
    float4 v[9];
    float s = 0.f, q = 0.f;
#pragma unroll
    for (int j = 0; j < 9; j++) {
        v[j] = lane + 32 * j < Q ? row[lane + 32 * j] : make_float4(0.f, 0.f, 0.f, 0.f);
        s += v[j].x + v[j].y + v[j].z + v[j].w;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    float mean = s / D;
#pragma unroll
    for (int j = 0; j < 9; j++)
        if (lane + 32 * j < Q) {
            v[j].x -= mean; v[j].y -= mean; v[j].z -= mean; v[j].w -= mean;
            q += v[j].x * v[j].x + v[j].y * v[j].y + v[j].z * v[j].z + v[j].w * v[j].w;
        }
#pragma unroll
    for (int o = 16; o; o >>= 1) q += __shfl_xor_sync(~0u, q, o);
    float rstd = rsqrtf(q / D + 1e-6f);
    const float4* a = scale + (size_t)(r / T) * Q;
    const float4* b = shift + (size_t)(r / T) * Q;
#pragma unroll
    for (int j = 0; j < 9; j++)
        if (lane + 32 * j < Q) {
            float4 g = __ldg(a + lane + 32 * j), h = __ldg(b + lane + 32 * j);
            out[(size_t)r * Q + lane + 32 * j] = make_float4(v[j].x * rstd * (1.f + g.x) + h.x, v[j].y * rstd * (1.f + g.y) + h.y,
                                                           v[j].z * rstd * (1.f + g.z) + h.z, v[j].w * rstd * (1.f + g.w) + h.w);
        }
}
extern "C" void modulate(const float* x, const float* scale, const float* shift, float* out, int B, int T, int D, cudaStream_t stream) {
    ada_vec<<<(B * T + 3) / 4, 128, 0, stream>>>((const float4*)x, (const float4*)scale, (const float4*)shift, (float4*)out, B * T, T, D);
}
