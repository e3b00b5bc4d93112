// kernelwright: task=../../tasks/binomial_option.py entry=binomial args="s, k, out, s.shape[0]"
// a warp an option, seventeen nodes a lane in registers, one shuffle a step
#include <cmath>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) b3_tree(const float* __restrict__ s, const float* __restrict__ k, float* __restrict__ out, int n, float logu, float u, float up, float down) {
    int o = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (o >= n) return;
    float strike = k[o], spot = s[o], price[17], v[17];
#pragma unroll
    for (int q = 0; q < 17; ++q) {
        price[q] = spot * expf(logu * (2 * (lane * 17 + q) - 512));
        v[q] = fmaxf(strike - price[q], 0.f);
    }
    for (int j = 511; j >= 0; --j) {
        float beyond = __shfl_down_sync(~0u, v[0], 1);
#pragma unroll
        for (int q = 0; q < 17; ++q) {
            price[q] *= u;
            v[q] = fmaxf(down * v[q] + up * (q < 16 ? v[q + 1] : beyond), strike - price[q]);
        }
    }
    if (lane == 0) out[o] = v[0];
}
extern "C" void binomial(const float* s, const float* k, float* out, int n, cudaStream_t stream) {
    double dt = 1.0 / 512, u = std::exp(0.3 * std::sqrt(dt)), p = (std::exp(0.05 * dt) - 1 / u) / (u - 1 / u), d = std::exp(-0.05 * dt);
    b3_tree<<<(n + 3) / 4, 128, 0, stream>>>(s, k, out, n, (float)std::log(u), (float)u, (float)(d * p), (float)(d * (1 - p)));
}
