// kernelwright: task=../../tasks/sh_colour.py entry=sh_colour args="coeff, direction, out, coeff.shape[0]"
// as 03 with float4 copies into unpadded rows of 52
#include <cuda_runtime.h>

__global__ void __launch_bounds__(192) colour(const float4* __restrict__ coeff, const float* __restrict__ dir, float* __restrict__ out, int n) {
    __shared__ __align__(16) float sc[64 * 52];
    __shared__ float sb[16][65];
    int t = threadIdx.x, first = blockIdx.x * 64, here = min(64, n - first);
#pragma unroll 4
    for (int i = t; i < here * 12; i += 192) *(float4*)&sc[i / 12 * 52 + i % 12 * 4] = coeff[(size_t)first * 12 + i];
    if (t < here) {
        const float* d = dir + 3 * (first + t);
        float x = d[0], y = d[1], z = d[2];
        float xx = x * x, yy = y * y, zz = z * z;
        sb[0][t] = 0.28209479f;
        sb[1][t] = -0.48860251f * y;
        sb[2][t] = 0.48860251f * z;
        sb[3][t] = -0.48860251f * x;
        sb[4][t] = 1.09254843f * x * y;
        sb[5][t] = -1.09254843f * y * z;
        sb[6][t] = 0.31539157f * (2.f * zz - xx - yy);
        sb[7][t] = -1.09254843f * x * z;
        sb[8][t] = 0.54627422f * (xx - yy);
        sb[9][t] = -0.59004359f * y * (3.f * xx - yy);
        sb[10][t] = 2.89061144f * x * y * z;
        sb[11][t] = -0.45704580f * y * (4.f * zz - xx - yy);
        sb[12][t] = 0.37317633f * z * (2.f * zz - 3.f * xx - 3.f * yy);
        sb[13][t] = -0.45704580f * x * (4.f * zz - xx - yy);
        sb[14][t] = 1.44530572f * z * (xx - yy);
        sb[15][t] = -0.59004359f * x * (xx - 3.f * yy);
    }
    __syncthreads();
    int i = t / 3, c = t % 3;
    if (i < here) {
        float s = 0.5f;
#pragma unroll
        for (int k = 0; k < 16; k++) s = fmaf(sb[k][i], sc[i * 52 + k * 3 + c], s);
        out[(size_t)first * 3 + t] = fmaxf(s, 0.f);
    }
}

extern "C" void sh_colour(const float* coeff, const float* direction, float* out, int n, cudaStream_t stream) {
    colour<<<(n + 63) / 64, 192, 0, stream>>>((const float4*)coeff, direction, out, n);
}
