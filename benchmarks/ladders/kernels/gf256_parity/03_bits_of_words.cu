// kernelwright: task=../../tasks/gf256_parity.py entry=gf256 args="data, coef, out, data.shape[1]"
// no tables: four bytes in a word doubled seven times, taken where the coefficient's bit is set
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gf_bits(const unsigned* __restrict__ data, const unsigned char* __restrict__ coef, unsigned* __restrict__ out, int n4) {
    __shared__ __align__(16) unsigned mask[8][8][4];
    int t = threadIdx.x, c = blockIdx.x * 256 + t;
    mask[t / 32][t / 4 % 8][t % 4] = coef[t % 4 * 8 + t / 32] >> (t / 4 % 8) & 1 ? ~0u : 0u;
    __syncthreads();
    if (c >= n4) return;
    unsigned p[4] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        unsigned d = data[(size_t)i * n4 + c];
#pragma unroll
        for (int b = 0; b < 8; ++b) {
            uint4 m = *(const uint4*)mask[i][b];
            p[0] ^= d & m.x;
            p[1] ^= d & m.y;
            p[2] ^= d & m.z;
            p[3] ^= d & m.w;
            d = (d << 1 & 0xfefefefeu) ^ (d >> 7 & 0x01010101u) * 0x1du;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) out[(size_t)j * n4 + c] = p[j];
}
extern "C" void gf256(const unsigned char* data, const unsigned char* coef, unsigned char* out, int n, cudaStream_t stream) {
    gf_bits<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const unsigned*)data, coef, (unsigned*)out, n / 4);
}
