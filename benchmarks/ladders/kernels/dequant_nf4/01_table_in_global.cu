// kernelwright: task=../../tasks/dequant_nf4.py entry=dequant_nf4 args="q, scale, table, out, q.numel()"
// a thread a weight, the table where it is
#include <cuda_fp16.h>

__global__ void dq_plain(const unsigned char* q, const float* scale, const float* table, __half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * n) return;
    int code = i & 1 ? q[i / 2] >> 4 : q[i / 2] & 15;
    out[i] = __float2half(table[code] * scale[i / 64]);
}
extern "C" void dequant_nf4(const unsigned char* q, const float* scale, const float* table, __half* out, int n, cudaStream_t stream) {
    dq_plain<<<(2 * n + 255) / 256, 256, 0, stream>>>(q, scale, table, out, n);
}
