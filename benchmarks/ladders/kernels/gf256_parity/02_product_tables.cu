// kernelwright: task=../../tasks/gf256_parity.py entry=gf256 args="data, coef, out, data.shape[1]"
// eight tables of 256 words in shared memory, all four parities of a data byte in one; four columns a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gf_tables(const unsigned* __restrict__ data, const unsigned char* __restrict__ coef, unsigned* __restrict__ out, int n4) {
    __shared__ unsigned table[8][256];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i) {
        unsigned v = 0, k = coef[i] | coef[8 + i] << 8 | coef[16 + i] << 16 | (unsigned)coef[24 + i] << 24;
        for (int b = 0; b < 8; ++b) {
            if (t >> b & 1) v ^= k;
            k = (k << 1 & 0xfefefefeu) ^ (k >> 7 & 0x01010101u) * 0x1du;
        }
        table[i][t] = v;
    }
    __syncthreads();
    for (int c = blockIdx.x * 256 + t; c < n4; c += gridDim.x * 256) {
        unsigned p[4] = {};
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned d = data[(size_t)i * n4 + c];
#pragma unroll
            for (int k = 0; k < 4; ++k) p[k] ^= table[i][d >> (8 * k) & 255];
        }
#pragma unroll
        for (int j = 0; j < 4; ++j)
            out[(size_t)j * n4 + c] = (p[0] >> (8 * j) & 255) | (p[1] >> (8 * j) & 255) << 8 | (p[2] >> (8 * j) & 255) << 16 | (p[3] >> (8 * j) & 255) << 24;
    }
}
extern "C" void gf256(const unsigned char* data, const unsigned char* coef, unsigned char* out, int n, cudaStream_t stream) {
    gf_tables<<<1056, 256, 0, stream>>>((const unsigned*)data, coef, (unsigned*)out, n / 4);
}
