// kernelwright: task=../../tasks/dequant_nf4.py entry=dequant_nf4 args="q, scale, table, out, q.numel()"
// a thread a byte, the table in constant memory
#include <cuda_fp16.h>

__constant__ float levels[16];
__global__ void dq_constant(const unsigned char* __restrict__ q, const float* __restrict__ scale, __half2* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned b = q[i];
    float s = scale[i / 32];
    out[i] = __floats2half2_rn(levels[b & 15] * s, levels[b >> 4] * s);
}
extern "C" void dequant_nf4(const unsigned char* q, const float* scale, const float* table, __half* out, int n, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(levels, table, sizeof(levels), 0, cudaMemcpyDeviceToDevice, stream);
    dq_constant<<<(n + 255) / 256, 256, 0, stream>>>(q, scale, (__half2*)out, n);
}
