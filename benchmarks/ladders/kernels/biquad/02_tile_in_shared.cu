// kernelwright: task=../../tasks/biquad.py entry=biquad args="x, coef, out, x.shape[0], x.shape[1]"
// 32 channels a warp, tiles of 32 samples turned in shared memory, coefficients in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) q2_tile(const float* __restrict__ x, const float* __restrict__ coef, float* __restrict__ out, int len) {
    __shared__ float s[32][33];
    int lane = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 32 * len;
    float c[20], z[8] = {};
#pragma unroll
    for (int i = 0; i < 20; ++i) c[i] = coef[i];
    for (int t0 = 0; t0 < len; t0 += 32) {
#pragma unroll
        for (int r = 0; r < 32; ++r) s[r][lane] = x[base + (size_t)r * len + t0 + lane];
        __syncwarp();
#pragma unroll 8
        for (int t = 0; t < 32; ++t) {
            float v = s[lane][t];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float y = c[k * 5] * v + z[2 * k];
                z[2 * k] = c[k * 5 + 1] * v - c[k * 5 + 3] * y + z[2 * k + 1];
                z[2 * k + 1] = c[k * 5 + 2] * v - c[k * 5 + 4] * y;
                v = y;
            }
            s[lane][t] = v;
        }
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 32; ++r) out[base + (size_t)r * len + t0 + lane] = s[r][lane];
        __syncwarp();
    }
}
extern "C" void biquad(const float* x, const float* coef, float* out, int channels, int len, cudaStream_t stream) {
    q2_tile<<<channels / 32, 32, 0, stream>>>(x, coef, out, len);
}
