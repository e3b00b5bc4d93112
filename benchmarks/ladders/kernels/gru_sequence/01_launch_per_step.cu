// kernelwright: task=../../tasks/gru_sequence.py entry=gru_sequence args="gates, w, bias, out, gates.shape[0], gates.shape[1]"
// a launch a step, a thread a cell
#include <cuda_runtime.h>

__device__ float state[2][65536];
__global__ void gr_step(const float* gates, const float* w, const float* bias, float* out, int steps, int t) {
    int b = blockIdx.x, j = threadIdx.x;
    const float* h = state[t % 2] + b * 64;
    float s[3] = {bias[j], bias[64 + j], bias[128 + j]};
    if (t > 0)
        for (int k = 0; k < 64; ++k)
            for (int g = 0; g < 3; ++g) s[g] += w[(g * 64 + j) * 64 + k] * h[k];
    const float* in = gates + ((size_t)b * steps + t) * 192;
    float r = 1.f / (1.f + expf(-(in[j] + s[0]))), z = 1.f / (1.f + expf(-(in[64 + j] + s[1])));
    float now = (1.f - z) * tanhf(in[128 + j] + r * s[2]) + (t > 0 ? z * h[j] : 0.f);
    state[(t + 1) % 2][b * 64 + j] = now;
    if (t == steps - 1) out[b * 64 + j] = now;
}
extern "C" void gru_sequence(const float* gates, const float* w, const float* bias, float* out, int batch, int steps, cudaStream_t stream) {
    for (int t = 0; t < steps; ++t) gr_step<<<batch, 64, 0, stream>>>(gates, w, bias, out, steps, t);
}
