// kernelwright: task=../../tasks/bilateral.py entry=bilateral args="x, out, x.shape[0], x.shape[1]"
// a warp along a row, the exponential of two with its constants folded
#include <cuda_runtime.h>

__global__ void bl_exp2(const float* __restrict__ x, float* __restrict__ out, int h, int w) {
    const float e = 1.44269504f;
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (c >= w || r >= h) return;
    float mid = x[r * w + c], total = 0.f, weights = 0.f;
#pragma unroll
    for (int dy = -3; dy <= 3; ++dy) {
        const float* row = x + min(max(r + dy, 0), h - 1) * w;
#pragma unroll
        for (int dx = -3; dx <= 3; ++dx) {
            float v = row[min(max(c + dx, 0), w - 1)], d = v - mid;
            float k = exp2f(-(dx * dx + dy * dy) * 0.125f * e - d * d * (8.f * e));
            total += k * v;
            weights += k;
        }
    }
    out[r * w + c] = total / weights;
}
extern "C" void bilateral(const float* x, float* out, int h, int w, cudaStream_t stream) {
    bl_exp2<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
