// kernelwright: task=../../tasks/im2col.py entry=im2col args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// nine outputs a thread
#include <cuda_runtime.h>

__global__ void ic_nine(const float* __restrict__ x, float* __restrict__ out, int h, int w) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, plane = blockIdx.y;
    if (p >= h * w) return;
    int py = p / w, px = p % w;
    const float* s = x + (size_t)plane * h * w;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        int yy = py + k / 3 - 1, xx = px + k % 3 - 1;
        bool inside = yy >= 0 && yy < h && xx >= 0 && xx < w;
        out[((size_t)plane * 9 + k) * h * w + p] = inside ? s[yy * w + xx] : 0.f;
    }
}
extern "C" void im2col(const float* x, float* out, int b, int c, int h, int w, cudaStream_t stream) {
    ic_nine<<<dim3((h * w + 255) / 256, b * c), 256, 0, stream>>>(x, out, h, w);
}
