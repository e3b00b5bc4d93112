// kernelwright: task=../../tasks/w4_gemv.py entry=w4_gemv args="q, scale, x, out, q.shape[0], q.shape[1]"
// a warp a row, eight weights and eight halves by one load each
#include <cuda_fp16.h>

__global__ void wg_wide(const int* q, const float* scale, const uint4* x, float* out, int n, int k8) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= n) return;
    float s = 0.f;
    for (int i = lane; i < k8; i += 32) {
        unsigned w = q[(size_t)r * k8 + i];
        uint4 v = x[i];
        const __half2* h = (const __half2*)&v;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float2 f = __half22float2(h[j]);
            s += (float)((int)(w >> 8 * j & 15) - 8) * f.x + (float)((int)(w >> (8 * j + 4) & 15) - 8) * f.y;
        }
    }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) out[r] = s * scale[r];
}
extern "C" void w4_gemv(const int* q, const float* scale, const __half* x, float* out, int n, int k8, cudaStream_t stream) {
    wg_wide<<<(n + 7) / 8, 256, 0, stream>>>(q, scale, (const uint4*)x, out, n, k8);
}
