// kernelwright: task=../../tasks/chacha20_xor.py entry=chacha20 args="key, nonce, data, out, data.shape[0]"
// straightforward port of the RFC: quarter round over an indexed array (local memory unless unrolled)
#include <cuda_runtime.h>

__device__ unsigned rotl(unsigned v, int c) { return (v << c) | (v >> (32 - c)); }

__device__ void quarter(unsigned* s, int a, int b, int c, int d) {
    s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 16);
    s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 12);
    s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 8);
    s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 7);
}

__constant__ int table[8][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
                                {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}};

__global__ void chacha20_kernel(const unsigned* key, const unsigned* nonce, const unsigned* data, unsigned* out, int blocks) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    unsigned init[16], s[16];
    init[0] = 0x61707865; init[1] = 0x3320646e; init[2] = 0x79622d32; init[3] = 0x6b206574;
    for (int i = 0; i < 8; i++) init[4 + i] = key[i];
    init[12] = b;
    for (int i = 0; i < 3; i++) init[13 + i] = nonce[i];
    for (int i = 0; i < 16; i++) s[i] = init[i];
#pragma unroll 1
    for (int r = 0; r < 10; r++)
#pragma unroll 1
        for (int q = 0; q < 8; q++) quarter(s, table[q][0], table[q][1], table[q][2], table[q][3]);
    for (int i = 0; i < 16; i++) out[(size_t)b * 16 + i] = data[(size_t)b * 16 + i] ^ (s[i] + init[i]);
}

extern "C" void chacha20(const unsigned* key, const unsigned* nonce, const unsigned* data, unsigned* out, int blocks, cudaStream_t stream) {
    chacha20_kernel<<<(blocks + 255) / 256, 256, 0, stream>>>(key, nonce, data, out, blocks);
}
