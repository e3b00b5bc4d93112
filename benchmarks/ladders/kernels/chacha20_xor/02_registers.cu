// kernelwright: task=../../tasks/chacha20_xor.py entry=chacha20 args="key, nonce, data, out, data.shape[0]"
// all rounds over named registers, words read and written one by one (stride of 64 bytes between threads)
#include <cuda_runtime.h>

#define ROTL(v, c) (((v) << (c)) | ((v) >> (32 - (c))))
#define QR(a, b, c, d)                   \
    a += b; d ^= a; d = ROTL(d, 16);     \
    c += d; b ^= c; b = ROTL(b, 12);     \
    a += b; d ^= a; d = ROTL(d, 8);      \
    c += d; b ^= c; b = ROTL(b, 7);

__global__ void chacha20_kernel(const unsigned* __restrict__ key, const unsigned* __restrict__ nonce, const unsigned* __restrict__ data, unsigned* __restrict__ out, int blocks) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    unsigned k[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3],
                      key[4], key[5], key[6], key[7], (unsigned)b, nonce[0], nonce[1], nonce[2]};
    unsigned s[16];
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] = k[i];
    for (int r = 0; r < 10; r++) {
        QR(s[0], s[4], s[8], s[12]) QR(s[1], s[5], s[9], s[13]) QR(s[2], s[6], s[10], s[14]) QR(s[3], s[7], s[11], s[15])
        QR(s[0], s[5], s[10], s[15]) QR(s[1], s[6], s[11], s[12]) QR(s[2], s[7], s[8], s[13]) QR(s[3], s[4], s[9], s[14])
    }
    const unsigned* d = data + (size_t)b * 16;
    unsigned* o = out + (size_t)b * 16;
#pragma unroll
    for (int i = 0; i < 16; i++) o[i] = d[i] ^ (s[i] + k[i]);
}

extern "C" void chacha20(const unsigned* key, const unsigned* nonce, const unsigned* data, unsigned* out, int blocks, cudaStream_t stream) {
    chacha20_kernel<<<(blocks + 255) / 256, 256, 0, stream>>>(key, nonce, data, out, blocks);
}
