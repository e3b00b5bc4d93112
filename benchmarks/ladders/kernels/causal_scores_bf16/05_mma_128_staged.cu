// kernelwright: task=../../tasks/causal_scores_bf16.py entry=causal_scores args="q, k, out, q.shape[0], q.shape[1]"
// as before, the scores go out in rows of 256 bytes through the shared memory of the tiles
#include <cuda_bf16.h>
#include <cuda_pipeline.h>

__device__ __forceinline__ unsigned cs_shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void __launch_bounds__(256) cs_staged(const __nv_bfloat16* __restrict__ q, const __nv_bfloat16* __restrict__ k, __nv_bfloat16* __restrict__ out, int s) {
    __shared__ __align__(16) __nv_bfloat16 tile[2][128][72];
    int t = threadIdx.x, lane = t % 32, w = t / 32, wr = w / 2 * 32, wc = w % 2 * 64, r0 = blockIdx.y * 128, c0 = blockIdx.x * 128;
    size_t head = (size_t)blockIdx.z * s;
    if (c0 > r0) {
#pragma unroll
        for (int i = t; i < 2048; i += 256) *(uint4*)&out[(head + r0 + i / 16) * s + c0 + i % 16 * 8] = make_uint4(0, 0, 0, 0);
        return;
    }
    float acc[2][8][4] = {};
#pragma unroll
    for (int i = t; i < 1024; i += 256) {
        __pipeline_memcpy_async(&tile[0][i / 8][i % 8 * 8], &q[(head + r0 + i / 8) * 64 + i % 8 * 8], 16);
        __pipeline_memcpy_async(&tile[1][i / 8][i % 8 * 8], &k[(head + c0 + i / 8) * 64 + i % 8 * 8], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < 64; p += 16) {
        unsigned fa[2][4], fb[8][2];
#pragma unroll
        for (int i = 0; i < 2; ++i)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                         : "r"(cs_shared(&tile[0][wr + i * 16 + lane % 16][p + lane / 16 * 8])));
#pragma unroll
        for (int j = 0; j < 8; j += 2)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1])
                         : "r"(cs_shared(&tile[1][wc + j * 8 + lane / 16 * 8 + lane % 8][p + lane / 8 % 2 * 8])));
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                             : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
    }
    __syncthreads();
    __nv_bfloat16(*stage)[136] = (__nv_bfloat16(*)[136])tile;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                int r = wr + i * 16 + lane / 4 + e * 8, c = wc + j * 8 + lane % 4 * 2;
                float u = c0 + c <= r0 + r ? acc[i][j][2 * e] * 0.125f : 0.f, v = c0 + c + 1 <= r0 + r ? acc[i][j][2 * e + 1] * 0.125f : 0.f;
                *(__nv_bfloat162*)&stage[r][c] = __floats2bfloat162_rn(u, v);
            }
    __syncthreads();
#pragma unroll
    for (int i = t; i < 2048; i += 256) *(uint4*)&out[(head + r0 + i / 16) * s + c0 + i % 16 * 8] = *(uint4*)&stage[i / 16][i % 16 * 8];
}
extern "C" void causal_scores(const __nv_bfloat16* q, const __nv_bfloat16* k, __nv_bfloat16* out, int h, int s, cudaStream_t stream) {
    cs_staged<<<dim3(s / 128, s / 128, h), 256, 0, stream>>>(q, k, out, s);
}
