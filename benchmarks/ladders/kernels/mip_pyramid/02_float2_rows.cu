// kernelwright: task=../../tasks/mip_pyramid.py entry=pyramid args="x, out, x.shape[0], x.shape[1]"
// the same with float2 loads and rows of 64 threads
#include <cuda_runtime.h>

__global__ void py_level2(const float2* __restrict__ from, float* __restrict__ to, int h, int w) {
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    float2 a = from[(size_t)(2 * y) * w + x], b = from[(size_t)(2 * y + 1) * w + x];
    to[(size_t)y * w + x] = (a.x + a.y + b.x + b.y) * 0.25f;
}
extern "C" void pyramid(const float* x, float* out, int H, int W, cudaStream_t stream) {
    const float* from = x;
    for (int l = 0; l < 4; l++) {
        H /= 2;
        W /= 2;
        py_level2<<<dim3((W + 63) / 64, (H + 3) / 4), dim3(64, 4), 0, stream>>>((const float2*)from, out, H, W);
        from = out;
        out += (size_t)H * W;
    }
}
