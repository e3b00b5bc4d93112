// kernelwright: task=../../tasks/rope.py entry=rope args="x, cos, sin, out, x.shape[0], x.shape[1]"
// a thread a pair, the angle by powf, sinf and cosf
#include <cuda_runtime.h>

__global__ void rp_sines(const float* x, float* out, int s, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s * h * 64) return;
    int d = i % 64, row = i / 64, p = row / h;
    float angle = p * powf(10000.f, -d / 64.f), c = cosf(angle), n = sinf(angle);
    float a = x[(size_t)row * 128 + d], b = x[(size_t)row * 128 + 64 + d];
    out[(size_t)row * 128 + d] = a * c - b * n;
    out[(size_t)row * 128 + 64 + d] = b * c + a * n;
}
extern "C" void rope(const float* x, const float* cos, const float* sin, float* out, int s, int h, cudaStream_t stream) {
    rp_sines<<<(s * h * 64 + 255) / 256, 256, 0, stream>>>(x, out, s, h);
}
