// kernelwright: task=../../tasks/crc32_rows.py entry=crc32 args="x, out, x.shape[0]"
// four tables and a word a step, sixteen bytes a load
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) cr_sliced(const uint4* __restrict__ x, int* __restrict__ out) {
    __shared__ unsigned table[4][256];
    for (int i = threadIdx.x; i < 256; i += 128) {
        unsigned v = i;
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
            if (k % 8 == 7) table[k / 8][i] = v;
        }
    }
    __syncthreads();
    int r = blockIdx.x * 128 + threadIdx.x;
    const uint4* p = x + (size_t)r * 64;
    unsigned crc = ~0u;
#pragma unroll 2
    for (int i = 0; i < 64; ++i) {
        uint4 q = p[i];
        unsigned w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            crc ^= w[k];
            crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^ table[0][crc >> 24];
        }
    }
    out[r] = ~crc;
}
extern "C" void crc32(const unsigned char* x, int* out, int rows, cudaStream_t stream) {
    cr_sliced<<<rows / 128, 128, 0, stream>>>((const uint4*)x, out);
}
