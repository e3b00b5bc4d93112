// kernelwright: task=../../tasks/lion_step.py entry=lion_step args="p, m, g, out, p.numel()"
// both in one launch
#include <cuda_runtime.h>

__global__ void li_both(const float* p, const float* m, const float* g, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = m[i], b = g[i], u = 0.9f * a + 0.1f * b;
    out[i] = p[i] * (1.f - 0.01f * 0.1f) - 0.01f * (float)((u > 0.f) - (u < 0.f));
    out[n + i] = 0.99f * a + 0.01f * b;
}
extern "C" void lion_step(const float* p, const float* m, const float* g, float* out, int n, cudaStream_t stream) {
    li_both<<<(n + 255) / 256, 256, 0, stream>>>(p, m, g, out, n);
}
