// kernelwright: task=../../tasks/biquad.py entry=biquad args="x, coef, out, x.shape[0], x.shape[1]"
// four lanes a channel, a section each, one sample behind its neighbour: results pass by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) q4_lanes(const float* __restrict__ x, const float* __restrict__ coef, float* __restrict__ out, int len) {
    __shared__ float in[8][33], res[8][33];
    int lane = threadIdx.x, sec = lane % 4, ch = lane / 4;
    size_t base = (size_t)blockIdx.x * 8 * len;
    float b0 = coef[sec * 5], b1 = coef[sec * 5 + 1], b2 = coef[sec * 5 + 2], a1 = coef[sec * 5 + 3], a2 = coef[sec * 5 + 4];
    float z0 = 0.f, z1 = 0.f, y = 0.f, next[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) next[r] = x[base + (size_t)r * len + lane];
    for (int t0 = 0; t0 <= len; t0 += 32) {
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            in[r][lane] = next[r];
            next[r] = t0 + 32 < len ? x[base + (size_t)r * len + t0 + 32 + lane] : 0.f;
        }
        __syncwarp();
#pragma unroll 8
        for (int t = 0; t < 32; ++t) {
            float v = __shfl_up_sync(~0u, y, 1);
            if (sec == 0) v = in[ch][t];
            y = b0 * v + z0;
            z0 = b1 * v - a1 * y + z1;
            z1 = b2 * v - a2 * y;
            if (sec == 3) res[ch][t] = y;
        }
        __syncwarp();
        int at = t0 - 3 + lane;
        if (at >= 0 && at < len) {
#pragma unroll
            for (int r = 0; r < 8; ++r) out[base + (size_t)r * len + at] = res[r][lane];
        }
        __syncwarp();
    }
}
extern "C" void biquad(const float* x, const float* coef, float* out, int channels, int len, cudaStream_t stream) {
    q4_lanes<<<channels / 8, 32, 0, stream>>>(x, coef, out, len);
}
