// kernelwright: task=../../tasks/adam_step.py entry=adam_step args="p, g, m, v, out, p.numel()"
// constants in double precision make all of it double
#include <cuda_runtime.h>

__global__ void ad_double(const float* p, const float* g, const float* m, const float* v, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double m2 = 0.9 * m[i] + 0.1 * g[i], v2 = 0.999 * v[i] + 0.001 * g[i] * g[i];
    out[i] = p[i] - 0.001 * (m2 / 0.271) / (sqrt(v2 / 0.002997) + 1e-8);
}
extern "C" void adam_step(const float* p, const float* g, const float* m, const float* v, float* out, int n, cudaStream_t stream) {
    ad_double<<<(n + 255) / 256, 256, 0, stream>>>(p, g, m, v, out, n);
}
