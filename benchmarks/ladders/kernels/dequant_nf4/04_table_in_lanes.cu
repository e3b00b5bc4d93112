// kernelwright: task=../../tasks/dequant_nf4.py entry=dequant_nf4 args="q, scale, table, out, q.numel()"
// four bytes a thread, the table spread over the lanes and read by shuffles
#include <cuda_fp16.h>

__global__ void dq_lanes(const unsigned* __restrict__ q, const float* __restrict__ scale, const float* __restrict__ table, uint4* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float level = table[threadIdx.x % 16];
    unsigned b = i < n ? q[i] : 0;
    float s = i < n ? scale[i / 8] : 0.f;
    uint4 u;
    __half2* h = (__half2*)&u;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float low = __shfl_sync(~0u, level, b >> 8 * k & 15), high = __shfl_sync(~0u, level, b >> (8 * k + 4) & 15);
        h[k] = __floats2half2_rn(low * s, high * s);
    }
    if (i < n) out[i] = u;
}
extern "C" void dequant_nf4(const unsigned char* q, const float* scale, const float* table, __half* out, int n, cudaStream_t stream) {
    dq_lanes<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const unsigned*)q, scale, table, (uint4*)out, n / 4);
}
