// kernelwright: task=../../tasks/life_steps.py entry=life args="x, out, x.shape[0], x.shape[1], 8"
// packed to bits by ballots, generations by logic on words of 32 cells, unpacked again
#include <cuda_runtime.h>

__device__ unsigned l3_bits[2][4096 * 128];

__global__ void __launch_bounds__(256) l3_pack(const unsigned char* __restrict__ x) {
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    unsigned b = __ballot_sync(~0u, x[i]);
    if (threadIdx.x % 32 == 0) l3_bits[0][i / 32] = b;
}
__global__ void __launch_bounds__(256) l3_unpack(unsigned* __restrict__ out) {
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    unsigned b = l3_bits[0][i / 8] >> i % 8 * 4;
    out[i] = (b & 1) | (b & 2) << 7 | (b & 4) << 14 | (b & 8) << 21;
}
__global__ void __launch_bounds__(128) l3_step(int h, int w32, int g) {
    const unsigned* from = l3_bits[g % 2];
    int x = threadIdx.x, y = blockIdx.x;
    if (x >= w32) return;
    int row[3] = {(y ? y - 1 : h - 1) * w32, y * w32, (y < h - 1 ? y + 1 : 0) * w32}, left = x ? x - 1 : w32 - 1, right = x < w32 - 1 ? x + 1 : 0;
    unsigned l[3], m[3], r[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        m[k] = from[row[k] + x];
        l[k] = m[k] << 1 | from[row[k] + left] >> 31;
        r[k] = m[k] >> 1 | from[row[k] + right] << 31;
    }
    unsigned u0 = l[0] ^ m[0] ^ r[0], u1 = (l[0] & m[0]) | (r[0] & (l[0] | m[0]));
    unsigned d0 = l[2] ^ m[2] ^ r[2], d1 = (l[2] & m[2]) | (r[2] & (l[2] | m[2]));
    unsigned m0 = l[1] ^ r[1], m1 = l[1] & r[1];
    unsigned ones = u0 ^ m0 ^ d0, carry = (u0 & m0) | (d0 & (u0 | m0));
    l3_bits[(g + 1) % 2][y * w32 + x] = (u1 ^ m1 ^ d1 ^ carry) & ~((u1 & m1) | (d1 & carry)) & (ones | m[1]);
}
extern "C" void life(const unsigned char* x, unsigned char* out, int h, int w, int generations, cudaStream_t stream) {
    l3_pack<<<h * w / 256, 256, 0, stream>>>(x);
    for (int g = 0; g < generations; ++g) l3_step<<<h, 128, 0, stream>>>(h, w / 32, g);
    l3_unpack<<<h * w / 1024, 256, 0, stream>>>((unsigned*)out);
}
