// kernelwright: task=../../tasks/chacha20_xor.py entry=chacha20 args="key, nonce, data, out, data.shape[0]"
// four lanes a block: a column each, the diagonals by rotating rows with shuffles
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned rot(unsigned v, int c) { return __funnelshift_l(v, v, c); }

__device__ __forceinline__ void qr(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
    a += b; d = rot(d ^ a, 16);
    c += d; b = rot(b ^ c, 12);
    a += b; d = rot(d ^ a, 8);
    c += d; b = rot(b ^ c, 7);
}

__global__ void __launch_bounds__(256) chacha20_kernel(const unsigned* __restrict__ key, const unsigned* __restrict__ nonce, const unsigned* __restrict__ data, unsigned* __restrict__ out, int blocks) {
    int g = blockIdx.x * blockDim.x + threadIdx.x, b = g >> 2, col = g & 3;
    bool live = b < blocks;
    const unsigned sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    unsigned a0 = col == 0 ? sigma[0] : col == 1 ? sigma[1] : col == 2 ? sigma[2] : sigma[3];
    unsigned b0 = key[col], c0 = key[4 + col], d0 = col == 0 ? (unsigned)b : nonce[col - 1];
    unsigned a = a0, bb = b0, c = c0, d = d0;
#pragma unroll
    for (int r = 0; r < 10; r++) {
        qr(a, bb, c, d);
        bb = __shfl_sync(0xffffffff, bb, col + 1, 4);
        c = __shfl_sync(0xffffffff, c, col + 2, 4);
        d = __shfl_sync(0xffffffff, d, col + 3, 4);
        qr(a, bb, c, d);
        bb = __shfl_sync(0xffffffff, bb, col + 3, 4);
        c = __shfl_sync(0xffffffff, c, col + 2, 4);
        d = __shfl_sync(0xffffffff, d, col + 1, 4);
    }
    if (!live) return;
    size_t base = (size_t)b * 16 + col;
    out[base] = data[base] ^ (a + a0);
    out[base + 4] = data[base + 4] ^ (bb + b0);
    out[base + 8] = data[base + 8] ^ (c + c0);
    out[base + 12] = data[base + 12] ^ (d + d0);
}

extern "C" void chacha20(const unsigned* key, const unsigned* nonce, const unsigned* data, unsigned* out, int blocks, cudaStream_t stream) {
    chacha20_kernel<<<(blocks * 4 + 255) / 256, 256, 0, stream>>>(key, nonce, data, out, blocks);
}
