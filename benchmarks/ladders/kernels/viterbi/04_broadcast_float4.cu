// kernelwright: task=../../tasks/viterbi.py entry=viterbi args="e, trans, out, e.shape[0], e.shape[1]"
// scores broadcast by eight float4 loads of shared memory, four maxima at once, emissions four steps ahead
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) v4_warp(const float* __restrict__ e, const float* __restrict__ trans, float* __restrict__ out, int n, int steps) {
    __shared__ float4 all[4][2][8];
    int w = threadIdx.x / 32, b = blockIdx.x * 4 + w, j = threadIdx.x % 32;
    if (b >= n) return;
    float tr[32], ahead[4];
#pragma unroll
    for (int k = 0; k < 32; ++k) tr[k] = trans[k * 32 + j];
    const float* mine = e + (size_t)b * steps * 32 + j;
    float s = mine[0];
#pragma unroll
    for (int k = 0; k < 4; ++k) ahead[k] = 1 + k < steps ? mine[(1 + k) * 32] : 0.f;
    for (int t0 = 1; t0 < steps; t0 += 4) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            int t = t0 + k;
            if (t >= steps) break;
            ((float*)all[w][k % 2])[j] = s;
            __syncwarp();
            float m0 = -1e30f, m1 = m0, m2 = m0, m3 = m0;
#pragma unroll
            for (int q = 0; q < 8; ++q) {
                float4 v = all[w][k % 2][q];
                m0 = fmaxf(m0, v.x + tr[q * 4]);
                m1 = fmaxf(m1, v.y + tr[q * 4 + 1]);
                m2 = fmaxf(m2, v.z + tr[q * 4 + 2]);
                m3 = fmaxf(m3, v.w + tr[q * 4 + 3]);
            }
            s = fmaxf(fmaxf(m0, m1), fmaxf(m2, m3)) + ahead[k];
            ahead[k] = t + 4 < steps ? mine[(t + 4) * 32] : 0.f;
        }
    }
#pragma unroll
    for (int o = 16; o; o /= 2) s = fmaxf(s, __shfl_xor_sync(~0u, s, o));
    if (j == 0) out[b] = s;
}
extern "C" void viterbi(const float* e, const float* trans, float* out, int n, int steps, cudaStream_t stream) {
    v4_warp<<<(n + 3) / 4, 128, 0, stream>>>(e, trans, out, n, steps);
}
