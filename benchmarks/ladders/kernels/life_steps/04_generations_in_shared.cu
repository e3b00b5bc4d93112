// kernelwright: task=../../tasks/life_steps.py entry=life args="x, out, x.shape[0], x.shape[1], 8"
// one launch: a block packs 80 rows of 34 words into shared memory and makes all eight generations of their inner 64 x 32 words there
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) l4_tile(const unsigned char* __restrict__ x, unsigned* __restrict__ out, int h, int w, int generations) {
    __shared__ unsigned s[2][80][34];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, x0 = blockIdx.x * 1024 - 32, y0 = blockIdx.y * 64 - 8;
    for (int i = warp; i < 80 * 34; i += 8) {
        int row = i / 34, word = i % 34, y = (y0 + row + h) % h, at = (x0 + word * 32 + w) % w;
        unsigned b = __ballot_sync(~0u, x[(size_t)y * w + at + lane]);
        if (lane == 0) s[0][row][word] = b;
    }
    __syncthreads();
    for (int g = 0; g < generations; ++g) {
        unsigned(*from)[34] = s[g % 2];
        for (int i = t; i < 78 * 34; i += 256) {
            int row = i / 34 + 1, word = i % 34;
            unsigned l[3], m[3], r[3];
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                m[k] = from[row + k - 1][word];
                l[k] = m[k] << 1 | (word ? from[row + k - 1][word - 1] >> 31 : 0u);
                r[k] = m[k] >> 1 | (word < 33 ? from[row + k - 1][word + 1] << 31 : 0u);
            }
            unsigned u0 = l[0] ^ m[0] ^ r[0], u1 = (l[0] & m[0]) | (r[0] & (l[0] | m[0]));
            unsigned d0 = l[2] ^ m[2] ^ r[2], d1 = (l[2] & m[2]) | (r[2] & (l[2] | m[2]));
            unsigned m0 = l[1] ^ r[1], m1 = l[1] & r[1];
            unsigned ones = u0 ^ m0 ^ d0, carry = (u0 & m0) | (d0 & (u0 | m0));
            s[(g + 1) % 2][row][word] = (u1 ^ m1 ^ d1 ^ carry) & ~((u1 & m1) | (d1 & carry)) & (ones | m[1]);
        }
        __syncthreads();
        if (t < 68) s[(g + 1) % 2][t / 34 * 79][t % 34] = 0;
        __syncthreads();
    }
    for (int i = t; i < 64 * 256; i += 256) {
        int row = i / 256, quad = i % 256;
        unsigned b = s[generations % 2][row + 8][quad / 8 + 1] >> quad % 8 * 4;
        out[((size_t)(y0 + 8 + row) * w + x0 + 32) / 4 + quad] = (b & 1) | (b & 2) << 7 | (b & 4) << 14 | (b & 8) << 21;
    }
}
extern "C" void life(const unsigned char* x, unsigned char* out, int h, int w, int generations, cudaStream_t stream) {
    l4_tile<<<dim3(w / 1024, h / 64), 256, 0, stream>>>(x, (unsigned*)out, h, w, generations);
}
