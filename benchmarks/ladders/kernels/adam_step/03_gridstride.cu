// kernelwright: task=../../tasks/adam_step.py entry=adam_step args="p, g, m, v, out, p.numel()"
// floats, 528 blocks that stride over the grid
#include <cuda_runtime.h>

__global__ void ad_stride(const float* __restrict__ p, const float* __restrict__ g, const float* __restrict__ m, const float* __restrict__ v, float* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float m2 = 0.9f * m[i] + 0.1f * g[i], v2 = 0.999f * v[i] + 0.001f * g[i] * g[i];
        out[i] = p[i] - 0.001f * (m2 / 0.271f) / (sqrtf(v2 / 0.002997f) + 1e-8f);
    }
}
extern "C" void adam_step(const float* p, const float* g, const float* m, const float* v, float* out, int n, cudaStream_t stream) {
    ad_stride<<<528, 256, 0, stream>>>(p, g, m, v, out, n);
}
