// kernelwright: task=../../tasks/chacha20_xor.py entry=chacha20 args="key, nonce, data, out, data.shape[0]"
// four words a load and store, rotations as funnel shifts
#include <cuda_runtime.h>

#define QR(a, b, c, d)                                       \
    a += b; d ^= a; d = __funnelshift_l(d, d, 16);           \
    c += d; b ^= c; b = __funnelshift_l(b, b, 12);           \
    a += b; d ^= a; d = __byte_perm(d, d, 0x2103);           \
    c += d; b ^= c; b = __funnelshift_l(b, b, 7);

__global__ void __launch_bounds__(128) chacha20_kernel(const unsigned* __restrict__ key, const unsigned* __restrict__ nonce, const uint4* __restrict__ data, uint4* __restrict__ out, int blocks) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    unsigned k[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3],
                      key[4], key[5], key[6], key[7], (unsigned)b, nonce[0], nonce[1], nonce[2]};
    unsigned s[16];
#pragma unroll
    for (int i = 0; i < 16; i++) s[i] = k[i];
#pragma unroll 2
    for (int r = 0; r < 10; r++) {
        QR(s[0], s[4], s[8], s[12]) QR(s[1], s[5], s[9], s[13]) QR(s[2], s[6], s[10], s[14]) QR(s[3], s[7], s[11], s[15])
        QR(s[0], s[5], s[10], s[15]) QR(s[1], s[6], s[11], s[12]) QR(s[2], s[7], s[8], s[13]) QR(s[3], s[4], s[9], s[14])
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint4 d = data[(size_t)b * 4 + i];
        d.x ^= s[4 * i] + k[4 * i];
        d.y ^= s[4 * i + 1] + k[4 * i + 1];
        d.z ^= s[4 * i + 2] + k[4 * i + 2];
        d.w ^= s[4 * i + 3] + k[4 * i + 3];
        out[(size_t)b * 4 + i] = d;
    }
}

extern "C" void chacha20(const unsigned* key, const unsigned* nonce, const unsigned* data, unsigned* out, int blocks, cudaStream_t stream) {
    chacha20_kernel<<<(blocks + 127) / 128, 128, 0, stream>>>(key, nonce, (const uint4*)data, (uint4*)out, blocks);
}
