// kernelwright: task=../../tasks/depthwise.py entry=depthwise args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// a thread a pixel, neighbouring threads in neighbouring columns
#include <cuda_runtime.h>

__global__ void dw_pixel(const float* x, const float* w, float* out, int n, int c, int h, int wd) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int px = i % wd, py = i / wd % h, plane = i / wd / h, k = plane % c;
    const float* p = x + (size_t)plane * h * wd;
    float sum = 0.f;
    for (int u = 0; u < 5; ++u)
        for (int v = 0; v < 5; ++v) {
            int yy = py + u - 2, xx = px + v - 2;
            if (yy >= 0 && yy < h && xx >= 0 && xx < wd) sum += p[yy * wd + xx] * w[k * 25 + u * 5 + v];
        }
    out[i] = sum;
}
extern "C" void depthwise(const float* x, const float* w, float* out, int b, int c, int h, int wd, cudaStream_t stream) {
    int n = b * c * h * wd;
    dw_pixel<<<(n + 255) / 256, 256, 0, stream>>>(x, w, out, n, c, h, wd);
}
