// kernelwright: task=../../tasks/binomial_option.py entry=binomial args="s, k, out, s.shape[0]"
// a block an option, values in two buffers of shared memory, the price of every node by expf
#include <cmath>
#include <cuda_runtime.h>

__global__ void b1_tree(const float* s, const float* k, float* out, float logu, float up, float down) {
    __shared__ float v[2][513];
    float spot = s[blockIdx.x], strike = k[blockIdx.x];
    for (int i = threadIdx.x; i <= 512; i += 256) v[0][i] = fmaxf(strike - spot * expf(logu * (2 * i - 512)), 0.f);
    __syncthreads();
    for (int j = 511; j >= 0; --j) {
        float* from = v[(j + 1) % 2];
        float* to = v[j % 2];
        for (int i = threadIdx.x; i <= j; i += 256) to[i] = fmaxf(down * from[i] + up * from[i + 1], strike - spot * expf(logu * (2 * i - j)));
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = v[0][0];
}
extern "C" void binomial(const float* s, const float* k, float* out, int n, cudaStream_t stream) {
    double dt = 1.0 / 512, u = std::exp(0.3 * std::sqrt(dt)), p = (std::exp(0.05 * dt) - 1 / u) / (u - 1 / u), d = std::exp(-0.05 * dt);
    b1_tree<<<n, 256, 0, stream>>>(s, k, out, (float)std::log(u), (float)(d * p), (float)(d * (1 - p)));
}
