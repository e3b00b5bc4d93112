// kernelwright: task=../../tasks/w4_gemv.py entry=w4_gemv args="q, scale, x, out, q.shape[0], q.shape[1]"
// a warp two rows, weights to halves by their exponent, products of pairs of halves
#include <cuda_fp16.h>

__global__ void wg_magic(const int* q, const float* scale, const uint4* x, float* out, int n, int k8) {
    int r = (blockIdx.x * 4 + threadIdx.x / 32) * 2, lane = threadIdx.x % 32;
    if (r >= n) return;
    float s[2] = {};
    for (int i = lane; i < k8; i += 32) {
        uint4 v = x[i];
        const __half2* h = (const __half2*)&v;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            unsigned w = q[(size_t)(r + k) * k8 + i];
            __half2 p = __float2half2_rn(0.f);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                unsigned u = w >> 8 * j, pair = (u & 15) | (u & 240) << 12 | 0x64006400u;
                __half2 m = *(__half2*)&pair;
                p = __hfma2(__hsub2(m, __float2half2_rn(1032.f)), h[j], p);
            }
            float2 f = __half22float2(p);
            s[k] += f.x + f.y;
        }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        for (int o = 16; o; o /= 2) s[k] += __shfl_xor_sync(~0u, s[k], o);
        if (lane == 0) out[r + k] = s[k] * scale[r + k];
    }
}
extern "C" void w4_gemv(const int* q, const float* scale, const __half* x, float* out, int n, int k8, cudaStream_t stream) {
    wg_magic<<<(n + 7) / 8, 128, 0, stream>>>(q, scale, (const uint4*)x, out, n, k8);
}
