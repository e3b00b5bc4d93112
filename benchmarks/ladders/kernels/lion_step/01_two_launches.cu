// kernelwright: task=../../tasks/lion_step.py entry=lion_step args="p, m, g, out, p.numel()"
// the weights in one launch, the momentum in another
#include <cuda_runtime.h>

__global__ void li_weights(const float* p, const float* m, const float* g, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float u = 0.9f * m[i] + 0.1f * g[i];
    out[i] = p[i] * (1.f - 0.01f * 0.1f) - 0.01f * (float)((u > 0.f) - (u < 0.f));
}
__global__ void li_momentum(const float* m, const float* g, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.99f * m[i] + 0.01f * g[i];
}
extern "C" void lion_step(const float* p, const float* m, const float* g, float* out, int n, cudaStream_t stream) {
    li_weights<<<(n + 255) / 256, 256, 0, stream>>>(p, m, g, out, n);
    li_momentum<<<(n + 255) / 256, 256, 0, stream>>>(m, g, out + n, n);
}
