// kernelwright: task=../../tasks/gaussian_blur.py entry=blur args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// rows by one launch into a buffer, columns by another, from global memory
#include <cuda_runtime.h>

__device__ float gb_middle[4 * 2048 * 2048];

__global__ void __launch_bounds__(256) gb_rows(const float* __restrict__ x, const float* __restrict__ w, int wd, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= total) return;
    int c = i % wd;
    float s = 0.f;
#pragma unroll
    for (int j = -5; j <= 5; ++j)
        if (c + j >= 0 && c + j < wd) s += w[j + 5] * x[i + j];
    gb_middle[i] = s;
}
__global__ void __launch_bounds__(256) gb_columns(const float* __restrict__ w, float* __restrict__ out, int h, int wd, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= total) return;
    int r = i / wd % h;
    float s = 0.f;
#pragma unroll
    for (int j = -5; j <= 5; ++j)
        if (r + j >= 0 && r + j < h) s += w[j + 5] * gb_middle[i + j * wd];
    out[i] = s;
}
extern "C" void blur(const float* x, const float* w, float* out, int b, int h, int wd, cudaStream_t stream) {
    int total = b * h * wd;
    gb_rows<<<(total + 255) / 256, 256, 0, stream>>>(x, w, wd, total);
    gb_columns<<<(total + 255) / 256, 256, 0, stream>>>(w, out, h, wd, total);
}
