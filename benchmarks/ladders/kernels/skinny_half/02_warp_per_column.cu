// kernelwright: task=../../tasks/skinny_half.py entry=skinny_half args="a, w, out, w.shape[0], w.shape[1]"
// a warp a row of weights, sixteen sums in registers
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sk_warp(const __half2* a, const __half2* w, float* out, int n, int k2) {
    int c = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (c >= n) return;
    float s[16] = {};
    for (int i = lane; i < k2; i += 32) {
        float2 v = __half22float2(w[(size_t)c * k2 + i]);
#pragma unroll
        for (int r = 0; r < 16; ++r) {
            float2 u = __half22float2(a[(size_t)r * k2 + i]);
            s[r] += u.x * v.x + u.y * v.y;
        }
    }
#pragma unroll
    for (int r = 0; r < 16; ++r) {
        for (int o = 16; o; o /= 2) s[r] += __shfl_xor_sync(~0u, s[r], o);
        if (lane == 0) out[(size_t)r * n + c] = s[r];
    }
}
extern "C" void skinny_half(const __half* a, const __half* w, float* out, int n, int k, cudaStream_t stream) {
    sk_warp<<<(n + 7) / 8, 256, 0, stream>>>((const __half2*)a, (const __half2*)w, out, n, k / 2);
}
