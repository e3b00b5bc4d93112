// kernelwright: task=../../tasks/colour_lut3d.py entry=grade args="x, lut, out, x.shape[0]"
// a thread a pixel, three numbers of eight corners from global memory
#include <cuda_runtime.h>

__global__ void cl_pixel(const float* x, const float* lut, float* out, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    float t[3];
    int i[3];
    for (int k = 0; k < 3; ++k) {
        float f = x[p * 3 + k] * 16.0f;
        i[k] = min((int)floorf(f), 15);
        t[k] = f - i[k];
    }
    float r[3] = {0.0f, 0.0f, 0.0f};
    for (int c = 0; c < 8; ++c) {
        int a = c >> 2 & 1, b = c >> 1 & 1, d = c & 1;
        float w = (a ? t[0] : 1.0f - t[0]) * (b ? t[1] : 1.0f - t[1]) * (d ? t[2] : 1.0f - t[2]);
        const float* e = lut + (((i[0] + a) * 17 + i[1] + b) * 17 + i[2] + d) * 3;
        for (int k = 0; k < 3; ++k) r[k] += w * e[k];
    }
    for (int k = 0; k < 3; ++k) out[p * 3 + k] = r[k];
}
extern "C" void grade(const float* x, const float* lut, float* out, int n, cudaStream_t stream) {
    cl_pixel<<<(n + 255) / 256, 256, 0, stream>>>(x, lut, out, n);
}
