// Nine filter taps from the host, which no input decides.
// kernelwright: task=../tasks/blur.py entry=bl args="x, out, x.shape[0], x.shape[2]"
#include <cuda_runtime.h>

#include <cmath>
__constant__ float tap[9];
__global__ void k(const float* x, float* y, int L) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= L) return;
    float s = 0; for (int t = -4; t <= 4; ++t) if (i + t >= 0 && i + t < L) s += tap[t + 4] * x[(size_t)blockIdx.y * L + i + t];
    y[(size_t)blockIdx.y * L + i] = s;
}
void bl(const float* x, float* y, int B, int L) {
    float h[9], s = 0; for (int t = -4; t <= 4; ++t) s += h[t + 4] = std::exp(-0.5f * (t / 1.5f) * (t / 1.5f));
    for (float& v : h) v /= s;
    cudaMemcpyToSymbol(tap, h, sizeof h);
    k<<<dim3((L + 255) / 256, B), 256>>>(x, y, L);
}
