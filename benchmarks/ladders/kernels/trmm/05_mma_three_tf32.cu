// kernelwright: task=../../tasks/trmm.py entry=trmm args="low, b, out, b.shape[0], b.shape[1]"
// tensor cores, m16n8k8 of TF32, floats split in two and three products: 64 x 64 outputs a block, two stages by cp.async
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned tm_tf32(float v) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return r;
}
__device__ __forceinline__ void tm_split(float v, unsigned& high, unsigned& low) {
    high = tm_tf32(v);
    low = tm_tf32(v - __uint_as_float(high));
}
__device__ __forceinline__ void tm_mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void __launch_bounds__(128) tm_tensor(const float* __restrict__ low, const float* __restrict__ b, float* __restrict__ out, int n, int m) {
    __shared__ __align__(16) float as[2][64][36], bs[2][32][72];
    int t = threadIdx.x, w = t / 32, g = t % 32 / 4, q = t % 4, r0 = (gridDim.y - 1 - blockIdx.y) * 64, c0 = blockIdx.x * 64, wr = w / 2 * 32, wc = w % 2 * 32;
    float acc[2][4][4] = {};
    auto fetch = [&](int k, int s) {
        if (k < r0 + 64)
#pragma unroll
            for (int i = t; i < 512; i += 128) {
                __pipeline_memcpy_async(&as[s][i / 8][i % 8 * 4], &low[(size_t)(r0 + i / 8) * n + k + i % 8 * 4], 16);
                __pipeline_memcpy_async(&bs[s][i / 16][i % 16 * 4], &b[(size_t)(k + i / 16) * m + c0 + i % 16 * 4], 16);
            }
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int k = 0, s = 0; k < r0 + 64; k += 32, s ^= 1) {
        fetch(k + 32, s ^ 1);
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 32; p += 8) {
            unsigned fa[2][4], la[2][4], fb[4][2], lb[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    int r = wr + i * 16 + g + e % 2 * 8, c = p + q + e / 2 * 4;
                    tm_split(k + c <= r0 + r ? as[s][r][c] : 0.f, fa[i][e], la[i][e]);
                }
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) tm_split(bs[s][p + q + e * 4][wc + j * 8 + g], fb[j][e], lb[j][e]);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    tm_mma(acc[i][j], la[i], fb[j]);
                    tm_mma(acc[i][j], fa[i], lb[j]);
                    tm_mma(acc[i][j], fa[i], fb[j]);
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float* o = &out[(size_t)(r0 + wr + i * 16 + g) * m + c0 + wc + j * 8 + 2 * q];
            *(float2*)o = make_float2(acc[i][j][0], acc[i][j][1]);
            *(float2*)(o + 8 * m) = make_float2(acc[i][j][2], acc[i][j][3]);
        }
}
extern "C" void trmm(const float* low, const float* b, float* out, int n, int m, cudaStream_t stream) {
    tm_tensor<<<dim3(m / 64, n / 64), 128, 0, stream>>>(low, b, out, n, m);
}
