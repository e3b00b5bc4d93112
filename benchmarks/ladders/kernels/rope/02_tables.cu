// kernelwright: task=../../tasks/rope.py entry=rope args="x, cos, sin, out, x.shape[0], x.shape[1]"
// a thread a pair, sines and cosines from tables
#include <cuda_runtime.h>

__global__ void rp_table(const float* x, const float* cos, const float* sin, float* out, int s, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s * h * 64) return;
    int d = i % 64, row = i / 64, p = row / h;
    float c = cos[p * 64 + d], n = sin[p * 64 + d];
    float a = x[(size_t)row * 128 + d], b = x[(size_t)row * 128 + 64 + d];
    out[(size_t)row * 128 + d] = a * c - b * n;
    out[(size_t)row * 128 + 64 + d] = b * c + a * n;
}
extern "C" void rope(const float* x, const float* cos, const float* sin, float* out, int s, int h, cudaStream_t stream) {
    rp_table<<<(s * h * 64 + 255) / 256, 256, 0, stream>>>(x, cos, sin, out, s, h);
}
