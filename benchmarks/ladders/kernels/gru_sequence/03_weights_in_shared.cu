// kernelwright: task=../../tasks/gru_sequence.py entry=gru_sequence args="gates, w, bias, out, gates.shape[0], gates.shape[1]"
// the weights in shared memory, turned so that neighbours read neighbours
#include <cuda_runtime.h>

__global__ void gr_shared(const float* __restrict__ gates, const float* __restrict__ w, const float* __restrict__ bias, float* __restrict__ out, int steps) {
    extern __shared__ float sw[];
    __shared__ float h[64], s[192];
    int b = blockIdx.x, i = threadIdx.x;
    for (int e = i; e < 192 * 64; e += 192) sw[e % 64 * 193 + e / 64] = w[e];
    if (i < 64) h[i] = 0.f;
    __syncthreads();
    for (int t = 0; t < steps; ++t) {
        float v = bias[i];
#pragma unroll 16
        for (int k = 0; k < 64; ++k) v += sw[k * 193 + i] * h[k];
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
    const int bytes = 64 * 193 * 4;
    cudaFuncSetAttribute(gr_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    gr_shared<<<batch, 192, bytes, stream>>>(gates, w, bias, out, steps);
}
