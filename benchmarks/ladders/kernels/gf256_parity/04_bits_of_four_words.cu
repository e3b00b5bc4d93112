// kernelwright: task=../../tasks/gf256_parity.py entry=gf256 args="data, coef, out, data.shape[1]"
// as before, sixteen bytes of every row a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gf_wide(const uint4* __restrict__ data, const unsigned char* __restrict__ coef, uint4* __restrict__ out, int n16) {
    __shared__ __align__(16) unsigned mask[8][8][4];
    int t = threadIdx.x, c = blockIdx.x * 256 + t;
    mask[t / 32][t / 4 % 8][t % 4] = coef[t % 4 * 8 + t / 32] >> (t / 4 % 8) & 1 ? ~0u : 0u;
    __syncthreads();
    if (c >= n16) return;
    unsigned p[4][4] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        uint4 q = data[(size_t)i * n16 + c];
        unsigned d[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int b = 0; b < 8; ++b) {
            uint4 m = *(const uint4*)mask[i][b];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                p[0][k] ^= d[k] & m.x;
                p[1][k] ^= d[k] & m.y;
                p[2][k] ^= d[k] & m.z;
                p[3][k] ^= d[k] & m.w;
                d[k] = (d[k] << 1 & 0xfefefefeu) ^ (d[k] >> 7 & 0x01010101u) * 0x1du;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) out[(size_t)j * n16 + c] = make_uint4(p[j][0], p[j][1], p[j][2], p[j][3]);
}
extern "C" void gf256(const unsigned char* data, const unsigned char* coef, unsigned char* out, int n, cudaStream_t stream) {
    gf_wide<<<(n / 16 + 255) / 256, 256, 0, stream>>>((const uint4*)data, coef, (uint4*)out, n / 16);
}
