// kernelwright: task=../../tasks/rope.py entry=rope args="x, cos, sin, out, x.shape[0], x.shape[1]"
// a block of 64 a position, a loop over the heads
#include <cuda_runtime.h>

__global__ void rp_position(const float* x, const float* cos, const float* sin, float* out, int h) {
    int d = threadIdx.x, p = blockIdx.x;
    float c = cos[p * 64 + d], n = sin[p * 64 + d];
    for (int k = 0; k < h; ++k) {
        size_t row = ((size_t)p * h + k) * 128 + d;
        float a = x[row], b = x[row + 64];
        out[row] = a * c - b * n;
        out[row + 64] = b * c + a * n;
    }
}
extern "C" void rope(const float* x, const float* cos, const float* sin, float* out, int s, int h, cudaStream_t stream) {
    rp_position<<<s, 64, 0, stream>>>(x, cos, sin, out, h);
}
