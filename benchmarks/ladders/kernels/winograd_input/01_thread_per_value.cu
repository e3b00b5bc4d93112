// kernelwright: task=../../tasks/winograd_input.py entry=winograd args="x, out, x.shape[0], x.shape[1]"
// a thread a value of the transform, four pixels each
#include <cuda_runtime.h>

__device__ __forceinline__ float wi_pixel(const float* p, int y, int x) { return y >= 0 && y < 56 && x >= 0 && x < 56 ? p[y * 56 + x] : 0.0f; }
__global__ void wi_value(const float* x, float* out, int n, int c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, tiles = n * 784;
    if (i >= 16 * c * tiles) return;
    int p = i % tiles, ch = i / tiles % c, e = i / tiles / c, a = e / 4, b = e % 4;
    int ty = p % 784 / 28 * 2 - 1, tx = p % 28 * 2 - 1;
    const float* plane = x + (size_t)(p / 784 * c + ch) * 3136;
    int r0 = a == 0 ? 0 : 1, r1 = a == 3 ? 3 : 2, c0 = b == 0 ? 0 : 1, c1 = b == 3 ? 3 : 2;
    float fr0 = a == 2 ? -1.0f : 1.0f, fr1 = a == 0 || a == 3 ? -1.0f : 1.0f, fc0 = b == 2 ? -1.0f : 1.0f, fc1 = b == 0 || b == 3 ? -1.0f : 1.0f;
    out[i] = fr0 * (fc0 * wi_pixel(plane, ty + r0, tx + c0) + fc1 * wi_pixel(plane, ty + r0, tx + c1)) + fr1 * (fc0 * wi_pixel(plane, ty + r1, tx + c0) + fc1 * wi_pixel(plane, ty + r1, tx + c1));
}
extern "C" void winograd(const float* x, float* out, int n, int c, cudaStream_t stream) {
    wi_value<<<(16 * c * n * 784 + 255) / 256, 256, 0, stream>>>(x, out, n, c);
}
