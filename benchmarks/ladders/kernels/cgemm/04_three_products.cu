// kernelwright: task=../../tasks/cgemm.py entry=cgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// three real products instead of four: re re, im im and that of the sums; one buffer with six planes
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cg_three(const float2* __restrict__ a, const float2* __restrict__ b, float2* __restrict__ out, int n, int k) {
    __shared__ __align__(16) float ar[16][68], ai[16][68], as[16][68], br[16][68], bi[16][68], bs[16][68];
    int t = threadIdx.x, tr = t / 16 * 4, tc = t % 16 * 4, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float rr[4][4] = {}, ii[4][4] = {}, ss[4][4] = {};
    float2 na[4], nb[4];
    auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int at = i * 256 + t;
            na[i] = a[(size_t)(r0 + at / 16) * k + k0 + at % 16];
            nb[i] = b[(size_t)(k0 + at / 64) * n + c0 + at % 64];
        }
    };
    load(0);
    for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int at = i * 256 + t;
            ar[at % 16][at / 16] = na[i].x;
            ai[at % 16][at / 16] = na[i].y;
            as[at % 16][at / 16] = na[i].x + na[i].y;
            br[at / 64][at % 64] = nb[i].x;
            bi[at / 64][at % 64] = nb[i].y;
            bs[at / 64][at % 64] = nb[i].x + nb[i].y;
        }
        __syncthreads();
        if (k0 + 16 < k) load(k0 + 16);
        auto product = [&](float(*x)[68], float(*y)[68], float(*acc)[4], int p) {
            float4 u = *(float4*)&x[p][tr], v = *(float4*)&y[p][tc];
            float uv[4] = {u.x, u.y, u.z, u.w}, vv[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] += uv[i] * vv[j];
        };
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            product(ar, br, rr, p);
            product(ai, bi, ii, p);
            product(as, bs, ss, p);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; j += 2)
            *(float4*)&out[(size_t)(r0 + tr + i) * n + c0 + tc + j] =
                make_float4(rr[i][j] - ii[i][j], ss[i][j] - rr[i][j] - ii[i][j], rr[i][j + 1] - ii[i][j + 1], ss[i][j + 1] - rr[i][j + 1] - ii[i][j + 1]);
}
extern "C" void cgemm(const float* a, const float* b, float* out, int m, int n, int k, cudaStream_t stream) {
    cg_three<<<dim3(n / 64, m / 64), 256, 0, stream>>>((const float2*)a, (const float2*)b, (float2*)out, n, k);
}
