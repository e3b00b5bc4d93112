// kernelwright: task=../../tasks/biquad.py entry=biquad args="x, coef, out, x.shape[0], x.shape[1]"
// the next tiles are on their way by asynchronous copies while one is filtered
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) q3_async(const float* __restrict__ x, const float* __restrict__ coef, float* __restrict__ out, int len) {
    __shared__ float s[3][32][33];
    int lane = threadIdx.x, tiles = len / 32;
    size_t base = (size_t)blockIdx.x * 32 * len;
    float c[20], z[8] = {};
#pragma unroll
    for (int i = 0; i < 20; ++i) c[i] = coef[i];
    auto fetch = [&](int tile) {
        if (tile < tiles) {
#pragma unroll
            for (int r = 0; r < 32; ++r) __pipeline_memcpy_async(&s[tile % 3][r][lane], &x[base + (size_t)r * len + tile * 32 + lane], 4);
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(1);
        __syncwarp();
        fetch(tile + 2);
        float(*now)[33] = s[tile % 3];
#pragma unroll 8
        for (int t = 0; t < 32; ++t) {
            float v = now[lane][t];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float y = c[k * 5] * v + z[2 * k];
                z[2 * k] = c[k * 5 + 1] * v - c[k * 5 + 3] * y + z[2 * k + 1];
                z[2 * k + 1] = c[k * 5 + 2] * v - c[k * 5 + 4] * y;
                v = y;
            }
            now[lane][t] = v;
        }
        __syncwarp();
#pragma unroll
        for (int r = 0; r < 32; ++r) out[base + (size_t)r * len + tile * 32 + lane] = now[r][lane];
        __syncwarp();
    }
}
extern "C" void biquad(const float* x, const float* coef, float* out, int channels, int len, cudaStream_t stream) {
    q3_async<<<channels / 32, 32, 0, stream>>>(x, coef, out, len);
}
