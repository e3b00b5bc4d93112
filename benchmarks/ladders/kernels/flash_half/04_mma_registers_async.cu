// kernelwright: task=../../tasks/flash_half.py entry=flash args="q, k, v, out, q.shape[0], q.shape[1]"
// scores and output in registers by mma.sync and ldmatrix, two stages of asynchronous copies
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cstdint>

__device__ __forceinline__ void fh_mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void fh_load(uint32_t (&r)[4], const __half* p) {
    uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ __forceinline__ void fh_load_t(uint32_t (&r)[4], const __half* p) {
    uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ __forceinline__ uint32_t fh_pack(float x, float y) {
    __half2 h = __floats2half2_rn(x, y);
    return *(uint32_t*)&h;
}
__global__ void __launch_bounds__(128) fh_mma_kernel(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, __half* __restrict__ out, int s) {
    __shared__ __align__(16) __half ks[2][64][72], vs[2][64][72];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    size_t base = (size_t)blockIdx.y * s * 64, mine = base + (size_t)blockIdx.x * 4096;
    for (int i = t; i < 512; i += 128) *(uint4*)&ks[0][i / 8][i % 8 * 8] = *(const uint4*)&q[mine + i * 8];
    __syncthreads();
    uint32_t fq[4][4];
#pragma unroll
    for (int d = 0; d < 4; ++d) fh_load(fq[d], &ks[0][w * 16 + lane % 16][d * 16 + lane / 16 * 8]);
    __syncthreads();
    auto fetch = [&](int j0, int to) {
        if (j0 < s)
#pragma unroll
            for (int i = t; i < 512; i += 128) {
                __pipeline_memcpy_async(&ks[to][i / 8][i % 8 * 8], &k[base + (size_t)j0 * 64 + i * 8], 16);
                __pipeline_memcpy_async(&vs[to][i / 8][i % 8 * 8], &v[base + (size_t)j0 * 64 + i * 8], 16);
            }
        __pipeline_commit();
    };
    float o[8][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {0.f, 0.f};
    const float scale = 0.125f * 1.44269504f;
    fetch(0, 0);
    for (int j0 = 0, at = 0; j0 < s; j0 += 64, at ^= 1) {
        fetch(j0 + 64, at ^ 1);
        __pipeline_wait_prior(1);
        __syncthreads();
        float c[8][4] = {};
#pragma unroll
        for (int d = 0; d < 4; ++d)
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                uint32_t b[4];
                fh_load(b, &ks[at][n * 16 + lane / 16 * 8 + lane % 8][d * 16 + lane / 8 % 2 * 8]);
                fh_mma(c[2 * n], fq[d], b[0], b[1]);
                fh_mma(c[2 * n + 1], fq[d], b[2], b[3]);
            }
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float m = top[h];
#pragma unroll
            for (int n = 0; n < 8; ++n) m = fmaxf(m, fmaxf(c[n][2 * h], c[n][2 * h + 1]) * scale);
            m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
            m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
            float f = exp2f(top[h] - m), part = 0.f;
#pragma unroll
            for (int n = 0; n < 8; ++n) {
                c[n][2 * h] = exp2f(c[n][2 * h] * scale - m);
                c[n][2 * h + 1] = exp2f(c[n][2 * h + 1] * scale - m);
                part += c[n][2 * h] + c[n][2 * h + 1];
                o[n][2 * h] *= f;
                o[n][2 * h + 1] *= f;
            }
            sum[h] = sum[h] * f + part;
            top[h] = m;
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            uint32_t p[4] = {fh_pack(c[2 * j][0], c[2 * j][1]), fh_pack(c[2 * j][2], c[2 * j][3]), fh_pack(c[2 * j + 1][0], c[2 * j + 1][1]),
                             fh_pack(c[2 * j + 1][2], c[2 * j + 1][3])};
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                uint32_t b[4];
                fh_load_t(b, &vs[at][j * 16 + lane / 8 % 2 * 8 + lane % 8][n * 16 + lane / 16 * 8]);
                fh_mma(o[2 * n], p, b[0], b[1]);
                fh_mma(o[2 * n + 1], p, b[2], b[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        float all = sum[h];
        all += __shfl_xor_sync(~0u, all, 1);
        all += __shfl_xor_sync(~0u, all, 2);
        float inv = 1.f / all;
        size_t to = mine + (size_t)(w * 16 + lane / 4 + 8 * h) * 64 + lane % 4 * 2;
#pragma unroll
        for (int n = 0; n < 8; ++n) *(__half2*)&out[to + n * 8] = __floats2half2_rn(o[n][2 * h] * inv, o[n][2 * h + 1] * inv);
    }
}
extern "C" void flash(const __half* q, const __half* k, const __half* v, __half* out, int bh, int s, cudaStream_t stream) {
    fh_mma_kernel<<<dim3(s / 64, bh), 128, 0, stream>>>(q, k, v, out, s);
}
