// kernelwright: task=../../tasks/cgemm.py entry=cgemm args="a, b, out, a.shape[0], b.shape[1], a.shape[1]"
// real and imaginary parts apart in shared memory, read by float4; two buffers, the next tile in registers meanwhile
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) cg_planes(const float2* __restrict__ a, const float2* __restrict__ b, float2* __restrict__ out, int n, int k) {
    __shared__ __align__(16) float ar[2][16][68], ai[2][16][68], br[2][16][68], bi[2][16][68];
    int t = threadIdx.x, tr = t / 16 * 4, tc = t % 16 * 4, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float re[4][4] = {}, im[4][4] = {};
    float2 na[4], nb[4];
    auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int at = i * 256 + t;
            na[i] = a[(size_t)(r0 + at / 16) * k + k0 + at % 16];
            nb[i] = b[(size_t)(k0 + at / 64) * n + c0 + at % 64];
        }
    };
    auto keep = [&](int s) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int at = i * 256 + t;
            ar[s][at % 16][at / 16] = na[i].x;
            ai[s][at % 16][at / 16] = na[i].y;
            br[s][at / 64][at % 64] = nb[i].x;
            bi[s][at / 64][at % 64] = nb[i].y;
        }
    };
    load(0);
    keep(0);
    __syncthreads();
    for (int k0 = 0, s = 0; k0 < k; k0 += 16, s ^= 1) {
        if (k0 + 16 < k) load(k0 + 16);
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            float4 xr = *(float4*)&ar[s][p][tr], xi = *(float4*)&ai[s][p][tr], yr = *(float4*)&br[s][p][tc], yi = *(float4*)&bi[s][p][tc];
            float xrv[4] = {xr.x, xr.y, xr.z, xr.w}, xiv[4] = {xi.x, xi.y, xi.z, xi.w}, yrv[4] = {yr.x, yr.y, yr.z, yr.w}, yiv[4] = {yi.x, yi.y, yi.z, yi.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    re[i][j] += xrv[i] * yrv[j];
                    re[i][j] -= xiv[i] * yiv[j];
                    im[i][j] += xrv[i] * yiv[j];
                    im[i][j] += xiv[i] * yrv[j];
                }
        }
        if (k0 + 16 < k) keep(s ^ 1);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; j += 2) *(float4*)&out[(size_t)(r0 + tr + i) * n + c0 + tc + j] = make_float4(re[i][j], im[i][j], re[i][j + 1], im[i][j + 1]);
}
extern "C" void cgemm(const float* a, const float* b, float* out, int m, int n, int k, cudaStream_t stream) {
    cg_planes<<<dim3(n / 64, m / 64), 256, 0, stream>>>((const float2*)a, (const float2*)b, (float2*)out, n, k);
}
