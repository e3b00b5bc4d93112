// kernelwright: task=../../tasks/sh_colour.py entry=sh_colour args="coeff, direction, out, coeff.shape[0]"
// 48 coefficients a thread, stride of 192 bytes
#include <cuda_runtime.h>

__device__ void basis16(float x, float y, float z, float* b) {
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

__global__ void colour(const float* coeff, const float* dir, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float b[16];
    basis16(dir[3 * i], dir[3 * i + 1], dir[3 * i + 2], b);
    for (int c = 0; c < 3; c++) {
        float s = 0.f;
        for (int k = 0; k < 16; k++) s += b[k] * coeff[(size_t)i * 48 + k * 3 + c];
        out[3 * i + c] = fmaxf(s + 0.5f, 0.f);
    }
}

extern "C" void sh_colour(const float* coeff, const float* direction, float* out, int n, cudaStream_t stream) {
    colour<<<(n + 255) / 256, 256, 0, stream>>>(coeff, direction, out, n);
}
