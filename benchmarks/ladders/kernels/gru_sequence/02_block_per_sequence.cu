// kernelwright: task=../../tasks/gru_sequence.py entry=gru_sequence args="gates, w, bias, out, gates.shape[0], gates.shape[1]"
// a block a sequence through all steps, a thread a row of the weights, read from memory each step
#include <cuda_runtime.h>

__global__ void gr_block(const float* __restrict__ gates, const float* __restrict__ w, const float* __restrict__ bias, float* __restrict__ out, int steps) {
    __shared__ float h[64], s[192];
    int b = blockIdx.x, i = threadIdx.x;
    if (i < 64) h[i] = 0.f;
    __syncthreads();
    for (int t = 0; t < steps; ++t) {
        float v = bias[i];
#pragma unroll 8
        for (int k = 0; k < 64; ++k) v += w[i * 64 + k] * h[k];
        s[i] = v;
        __syncthreads();
        if (i < 64) {
            const float* in = gates + ((size_t)b * steps + t) * 192;
            float r = 1.f / (1.f + expf(-(in[i] + s[i]))), z = 1.f / (1.f + expf(-(in[64 + i] + s[64 + i])));
            h[i] = (1.f - z) * tanhf(in[128 + i] + r * s[128 + i]) + z * h[i];
        }
        __syncthreads();
    }
    if (i < 64) out[b * 64 + i] = h[i];
}
extern "C" void gru_sequence(const float* gates, const float* w, const float* bias, float* out, int batch, int steps, cudaStream_t stream) {
    gr_block<<<batch, 192, 0, stream>>>(gates, w, bias, out, steps);
}
