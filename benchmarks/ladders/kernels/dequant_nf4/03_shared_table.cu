// kernelwright: task=../../tasks/dequant_nf4.py entry=dequant_nf4 args="q, scale, table, out, q.numel()"
// four bytes a thread, the table in shared memory
#include <cuda_fp16.h>

__global__ void dq_shared(const uchar4* __restrict__ q, const float* __restrict__ scale, const float* __restrict__ table, uint4* __restrict__ out, int n) {
    __shared__ float levels[16];
    if (threadIdx.x < 16) levels[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 v = q[i];
    float s = scale[i / 8];
    const unsigned char b[4] = {v.x, v.y, v.z, v.w};
    uint4 u;
    __half2* h = (__half2*)&u;
#pragma unroll
    for (int k = 0; k < 4; ++k) h[k] = __floats2half2_rn(levels[b[k] & 15] * s, levels[b[k] >> 4] * s);
    out[i] = u;
}
extern "C" void dequant_nf4(const unsigned char* q, const float* scale, const float* table, __half* out, int n, cudaStream_t stream) {
    dq_shared<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const uchar4*)q, scale, table, (uint4*)out, n / 4);
}
