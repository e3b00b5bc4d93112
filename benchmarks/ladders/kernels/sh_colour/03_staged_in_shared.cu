// kernelwright: task=../../tasks/sh_colour.py entry=sh_colour args="coeff, direction, out, coeff.shape[0]"
// 64 splats a block; coefficients through shared memory, coalesced, rows padded to 49
#include <cuda_runtime.h>

__global__ void __launch_bounds__(192) colour(const float* __restrict__ coeff, const float* __restrict__ dir, float* __restrict__ out, int n) {
    __shared__ float sc[64 * 49];
    __shared__ float sb[64 * 17];
    int t = threadIdx.x, first = blockIdx.x * 64, here = min(64, n - first);
    for (int i = t; i < here * 48; i += 192) sc[i / 48 * 49 + i % 48] = coeff[(size_t)first * 48 + i];
    if (t < here) {
        float x = dir[3 * (first + t)], y = dir[3 * (first + t) + 1], z = dir[3 * (first + t) + 2];
        float xx = x * x, yy = y * y, zz = z * z;
        float* b = sb + t * 17;
        b[0] = 0.28209479f;
        b[1] = -0.48860251f * y;
        b[2] = 0.48860251f * z;
        b[3] = -0.48860251f * x;
        b[4] = 1.09254843f * x * y;
        b[5] = -1.09254843f * y * z;
        b[6] = 0.31539157f * (2.f * zz - xx - yy);
        b[7] = -1.09254843f * x * z;
        b[8] = 0.54627422f * (xx - yy);
        b[9] = -0.59004359f * y * (3.f * xx - yy);
        b[10] = 2.89061144f * x * y * z;
        b[11] = -0.45704580f * y * (4.f * zz - xx - yy);
        b[12] = 0.37317633f * z * (2.f * zz - 3.f * xx - 3.f * yy);
        b[13] = -0.45704580f * x * (4.f * zz - xx - yy);
        b[14] = 1.44530572f * z * (xx - yy);
        b[15] = -0.59004359f * x * (xx - 3.f * yy);
    }
    __syncthreads();
    int i = t / 3, c = t % 3;
    if (i < here) {
        float s = 0.5f;
#pragma unroll
        for (int k = 0; k < 16; k++) s += sb[i * 17 + k] * sc[i * 49 + k * 3 + c];
        out[(size_t)first * 3 + t] = fmaxf(s, 0.f);
    }
}

extern "C" void sh_colour(const float* coeff, const float* direction, float* out, int n, cudaStream_t stream) {
    colour<<<(n + 63) / 64, 192, 0, stream>>>(coeff, direction, out, n);
}
