// kernelwright: task=../../tasks/sh_colour.py entry=sh_colour args="coeff, direction, out, coeff.shape[0]"
// the same with twelve float4 loads
#include <cuda_runtime.h>

__device__ __forceinline__ void basis16(float x, float y, float z, float* b) {
    float xx = x * x, yy = y * y, zz = z * z;
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

__global__ void __launch_bounds__(128) colour(const float4* __restrict__ coeff, const float* __restrict__ dir, float* __restrict__ out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    float b[16];
    basis16(dir[3 * i], dir[3 * i + 1], dir[3 * i + 2], b);
    float s[3] = {0.5f, 0.5f, 0.5f};
#pragma unroll
    for (int q = 0; q < 12; q++) {
        float4 v = coeff[(size_t)i * 12 + q];
        s[(4 * q) % 3] += b[(4 * q) / 3] * v.x;
        s[(4 * q + 1) % 3] += b[(4 * q + 1) / 3] * v.y;
        s[(4 * q + 2) % 3] += b[(4 * q + 2) / 3] * v.z;
        s[(4 * q + 3) % 3] += b[(4 * q + 3) / 3] * v.w;
    }
    out[3 * i] = fmaxf(s[0], 0.f);
    out[3 * i + 1] = fmaxf(s[1], 0.f);
    out[3 * i + 2] = fmaxf(s[2], 0.f);
}

extern "C" void sh_colour(const float* coeff, const float* direction, float* out, int n, cudaStream_t stream) {
    colour<<<(n + 127) / 128, 128, 0, stream>>>((const float4*)coeff, direction, out, n);
}
