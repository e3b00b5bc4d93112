// kernelwright: task=../../tasks/causal_conv_silu.py entry=causal_conv args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2]"
// a warp a row: eight samples a lane and step, the three before them from the lane to the left and the last step
#include <cuda_fp16.h>

__global__ void __launch_bounds__(128) cc_shuffle(const uint4* __restrict__ x, const float4* __restrict__ w, const float* __restrict__ b, uint4* __restrict__ out, int c, int l8) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, ch = row % c;
    float4 f = w[ch];
    float bias = b[ch], carry[3] = {};
    for (int i = lane; i < l8; i += 32) {
        uint4 u = x[(size_t)row * l8 + i];
        const __half2* h = (const __half2*)&u;
        float v[11];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float2 a = __half22float2(h[j]);
            v[3 + 2 * j] = a.x;
            v[4 + 2 * j] = a.y;
        }
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            float left = __shfl_up_sync(~0u, v[8 + j], 1), last = __shfl_sync(~0u, v[8 + j], 31);
            v[j] = lane ? left : carry[j];
            carry[j] = last;
        }
        uint4 r;
        __half2* o = (__half2*)&r;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float s0 = bias + f.x * v[2 * j] + f.y * v[2 * j + 1] + f.z * v[2 * j + 2] + f.w * v[2 * j + 3];
            float s1 = bias + f.x * v[2 * j + 1] + f.y * v[2 * j + 2] + f.z * v[2 * j + 3] + f.w * v[2 * j + 4];
            o[j] = __floats2half2_rn(__fdividef(s0, 1.f + __expf(-s0)), __fdividef(s1, 1.f + __expf(-s1)));
        }
        out[(size_t)row * l8 + i] = r;
    }
}
extern "C" void causal_conv(const __half* x, const float* w, const float* b, __half* out, int n, int c, int l, cudaStream_t stream) {
    cc_shuffle<<<n * c / 4, 128, 0, stream>>>((const uint4*)x, (const float4*)w, b, (uint4*)out, c, l / 8);
}
