// kernelwright: task=../../tasks/igemm.py entry=igemm args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// tensor cores: m16n8k32 from tiles in shared memory, 64 x 64 outputs a block of four warps
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ig_mma(const int* a, const int* b, int* out, int n, int k4) {
    __shared__ __align__(16) int as[64][20], bs[64][20];
    int t = threadIdx.x, lane = t % 32, w = t / 32, g = lane / 4, q = lane % 4;
    int acc[4][2][4] = {};
    for (int k0 = 0; k0 < k4; k0 += 16) {
        for (int i = t; i < 256; i += 128) {
            *(int4*)&as[i / 4][i % 4 * 4] = *(const int4*)&a[(size_t)(blockIdx.y * 64 + i / 4) * k4 + k0 + i % 4 * 4];
            *(int4*)&bs[i / 4][i % 4 * 4] = *(const int4*)&b[(size_t)(blockIdx.x * 64 + i / 4) * k4 + k0 + i % 4 * 4];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk += 8)
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                int c = w * 16 + j * 8 + g, b0 = bs[c][kk + q], b1 = bs[c][kk + q + 4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    int r = i * 16 + g;
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+r"(acc[i][j][0]), "+r"(acc[i][j][1]), "+r"(acc[i][j][2]), "+r"(acc[i][j][3])
                                 : "r"(as[r][kk + q]), "r"(as[r + 8][kk + q]), "r"(as[r][kk + q + 4]), "r"(as[r + 8][kk + q + 4]), "r"(b0), "r"(b1));
                }
            }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) {
            size_t r = blockIdx.y * 64 + i * 16 + g, c = blockIdx.x * 64 + w * 16 + j * 8 + 2 * q;
            *(int2*)&out[r * n + c] = make_int2(acc[i][j][0], acc[i][j][1]);
            *(int2*)&out[(r + 8) * n + c] = make_int2(acc[i][j][2], acc[i][j][3]);
        }
}
extern "C" void igemm(const signed char* a, const signed char* b, int* out, int m, int n, int k, cudaStream_t stream) {
    ig_mma<<<dim3(n / 64, m / 64), 128, 0, stream>>>((const int*)a, (const int*)b, out, n, k / 4);
}
