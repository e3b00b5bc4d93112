// kernelwright: task=../../tasks/bmm_half.py entry=bmm_half args="a, b, out, a.shape[0], a.shape[1], b.shape[2], a.shape[2]"
// mma.sync and ldmatrix, two stages by cp.async, halves stored straight from the accumulators
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

__device__ __forceinline__ unsigned smem(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void __launch_bounds__(128) bmm_mma(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ out, int M, int N, int K) {
    __shared__ __align__(16) half as[2][64][40];
    __shared__ __align__(16) half bs[2][32][72];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, wr = warp / 2 * 32, wc = warp % 2 * 32;
    int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    a += (size_t)blockIdx.z * M * K;
    b += (size_t)blockIdx.z * K * N;
    out += (size_t)blockIdx.z * M * N;
    float acc[2][4][4] = {};
    auto fetch = [&](int s, int k0) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            __pipeline_memcpy_async(&as[s][i / 4][i % 4 * 8], &a[(size_t)(m0 + i / 4) * K + k0 + i % 4 * 8], 16);
            __pipeline_memcpy_async(&bs[s][i / 8][i % 8 * 8], &b[(size_t)(k0 + i / 8) * N + n0 + i % 8 * 8], 16);
        }
        __pipeline_commit();
    };
    fetch(0, 0);
    int s = 0;
    for (int k0 = 0; k0 < K; k0 += 32, s ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + 32 < K) fetch(s ^ 1, k0 + 32);
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned fa[2][4], fb[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(smem(&as[s][wr + i * 16 + lane % 16][k + lane / 16 * 8])));
#pragma unroll
            for (int j = 0; j < 4; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1])
                             : "r"(smem(&bs[s][k + lane % 16][wc + j * 8])));
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
    }
    const float c = 0.0883883461f;
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int m = m0 + wr + i * 16 + lane / 4, n = n0 + wc + j * 8 + lane % 4 * 2;
            *(half2*)&out[(size_t)m * N + n] = __floats2half2_rn(acc[i][j][0] * c, acc[i][j][1] * c);
            *(half2*)&out[(size_t)(m + 8) * N + n] = __floats2half2_rn(acc[i][j][2] * c, acc[i][j][3] * c);
        }
}
extern "C" void bmm_half(const half* a, const half* b, half* out, int B, int M, int N, int K, cudaStream_t stream) {
    bmm_mma<<<dim3(N / 64, M / 64, B), 128, 0, stream>>>(a, b, out, M, N, K);
}
