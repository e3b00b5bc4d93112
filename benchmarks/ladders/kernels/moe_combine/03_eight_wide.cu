// kernelwright: task=../../tasks/moe_combine.py entry=combine args="y, slot, source, w, out, w.shape[0], y.shape[1]"
// eight numbers of each of the four rows a thread, slots and weights as one load
#include <cuda_bf16.h>

__global__ void __launch_bounds__(256) mc_eight(const uint4* __restrict__ y, const int4* __restrict__ slot, const float4* __restrict__ w, float4* __restrict__ out, int d8) {
    int t = blockIdx.x;
    int4 at = slot[t];
    float4 f = w[t];
    int rows[4] = {at.x, at.y, at.z, at.w};
    float ws[4] = {f.x, f.y, f.z, f.w};
    for (int c = threadIdx.x; c < d8; c += 256) {
        uint4 v[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) v[k] = y[(size_t)rows[k] * d8 + c];
        float s[8] = {};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const __nv_bfloat162* h = (const __nv_bfloat162*)&v[k];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                float2 g = __bfloat1622float2(h[j]);
                s[2 * j] += ws[k] * g.x;
                s[2 * j + 1] += ws[k] * g.y;
            }
        }
        out[((size_t)t * d8 + c) * 2] = make_float4(s[0], s[1], s[2], s[3]);
        out[((size_t)t * d8 + c) * 2 + 1] = make_float4(s[4], s[5], s[6], s[7]);
    }
}
extern "C" void combine(const __nv_bfloat16* y, const int* slot, const int* source, const float* w, float* out, int t, int d, cudaStream_t stream) {
    mc_eight<<<t, 256, 0, stream>>>((const uint4*)y, (const int4*)slot, (const float4*)w, (float4*)out, d / 8);
}
