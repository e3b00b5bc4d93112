// kernelwright: task=../../tasks/binomial_option.py entry=binomial args="s, k, out, s.shape[0]"
// a thread a node, its price multiplied up from step to step
#include <cmath>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(544) b2_tree(const float* __restrict__ s, const float* __restrict__ k, float* __restrict__ out, float logu, float u, float up, float down) {
    __shared__ float v[2][545];
    int i = threadIdx.x;
    float strike = k[blockIdx.x], price = s[blockIdx.x] * expf(logu * (2 * i - 512)), mine = fmaxf(strike - price, 0.f);
    v[0][i] = mine;
    __syncthreads();
    for (int j = 511; j >= 0; --j) {
        price *= u;
        if (i <= j) {
            mine = fmaxf(down * mine + up * v[(j + 1) % 2][i + 1], strike - price);
            v[j % 2][i] = mine;
        }
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = mine;
}
extern "C" void binomial(const float* s, const float* k, float* out, int n, cudaStream_t stream) {
    double dt = 1.0 / 512, u = std::exp(0.3 * std::sqrt(dt)), p = (std::exp(0.05 * dt) - 1 / u) / (u - 1 / u), d = std::exp(-0.05 * dt);
    b2_tree<<<n, 544, 0, stream>>>(s, k, out, (float)std::log(u), (float)u, (float)(d * p), (float)(d * (1 - p)));
}
