// kernelwright: task=../../tasks/mip_pyramid.py entry=pyramid args="x, out, x.shape[0], x.shape[1]"
// four launches, each reads the level before
#include <cuda_runtime.h>

__global__ void py_level(const float* from, float* to, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float* p = from + (size_t)(2 * y) * (2 * w) + 2 * x;
    to[(size_t)y * w + x] = (p[0] + p[1] + p[2 * w] + p[2 * w + 1]) * 0.25f;
}
extern "C" void pyramid(const float* x, float* out, int H, int W, cudaStream_t stream) {
    const float* from = x;
    for (int l = 0; l < 4; l++) {
        H /= 2;
        W /= 2;
        py_level<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16), 0, stream>>>(from, out, H, W);
        from = out;
        out += (size_t)H * W;
    }
}
