// kernelwright: task=../../tasks/moe_gate.py entry=gate args="logits, out, logits.shape[0]"
// a warp a token, two logits a lane, the best found twice by shuffles; the sum over all experts cancels
#include <cuda_runtime.h>

__device__ __forceinline__ void mg_best(float& v, int& at) {
#pragma unroll
    for (int o = 16; o; o /= 2) {
        float u = __shfl_xor_sync(~0u, v, o);
        int w = __shfl_xor_sync(~0u, at, o);
        if (u > v || (u == v && w < at)) {
            v = u;
            at = w;
        }
    }
}
__global__ void __launch_bounds__(256) mg_warp(const float* __restrict__ logits, float* __restrict__ out, int t) {
    int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= t) return;
    float x = logits[i * 64 + lane], y = logits[i * 64 + 32 + lane];
    float first = x >= y ? x : y;
    int a = x >= y ? lane : lane + 32;
    mg_best(first, a);
    if (a == lane) x = -INFINITY;
    if (a == lane + 32) y = -INFINITY;
    float second = x >= y ? x : y;
    int b = x >= y ? lane : lane + 32;
    mg_best(second, b);
    if (lane == 0) {
        float p = 1.f / (1.f + __expf(second - first));
        *(float4*)&out[i * 4] = make_float4(p, 1.f - p, (float)a, (float)b);
    }
}
extern "C" void gate(const float* logits, float* out, int t, cudaStream_t stream) {
    mg_warp<<<(t + 7) / 8, 256, 0, stream>>>(logits, out, t);
}
