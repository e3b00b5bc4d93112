// kernelwright: task=../../tasks/gaussian_blur.py entry=blur args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// all 121 taps of a point from global memory
#include <cuda_runtime.h>

__global__ void gb_direct(const float* x, const float* w, float* out, int h, int wd) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (c >= wd || r >= h) return;
    const float* p = x + (size_t)blockIdx.z * h * wd;
    float s = 0.f;
    for (int i = -5; i <= 5; ++i)
        for (int j = -5; j <= 5; ++j)
            if (r + i >= 0 && r + i < h && c + j >= 0 && c + j < wd) s += w[i + 5] * w[j + 5] * p[(size_t)(r + i) * wd + c + j];
    out[(size_t)blockIdx.z * h * wd + (size_t)r * wd + c] = s;
}
extern "C" void blur(const float* x, const float* w, float* out, int b, int h, int wd, cudaStream_t stream) {
    gb_direct<<<dim3((wd + 31) / 32, (h + 7) / 8, b), dim3(32, 8), 0, stream>>>(x, w, out, h, wd);
}
