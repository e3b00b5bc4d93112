// kernelwright: task=../../tasks/dequant_nf4.py entry=dequant_nf4 args="q, scale, table, out, q.numel()"
// a table of all 256 pairs in shared memory, blocks that stay and walk on
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) dq_pairs(const unsigned* __restrict__ q, const float* __restrict__ scale, const float* __restrict__ table, uint4* __restrict__ out, int n) {
    __shared__ float2 pair[256];
    int t = threadIdx.x;
    pair[t] = make_float2(table[t & 15], table[t >> 4]);
    __syncthreads();
#pragma unroll 2
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        unsigned b = q[i];
        float s = scale[i / 8];
        uint4 u;
        __half2* h = (__half2*)&u;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 v = pair[b >> 8 * k & 255];
            h[k] = __floats2half2_rn(v.x * s, v.y * s);
        }
        out[i] = u;
    }
}
extern "C" void dequant_nf4(const unsigned char* q, const float* scale, const float* table, __half* out, int n, cudaStream_t stream) {
    dq_pairs<<<132 * 8, 256, 0, stream>>>((const unsigned*)q, scale, table, (uint4*)out, n / 4);
}
