// kernelwright: task=../../tasks/depthwise.py entry=depthwise args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// a thread a pixel of a channel, neighbouring threads in neighbouring channels
#include <cuda_runtime.h>

__global__ void dw_channel(const float* x, const float* w, float* out, int b, int c, int h, int wd) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (long long)b * c * h * wd) return;
    int k = i % c, px = i / c % wd, py = i / c / wd % h, im = i / c / wd / h;
    const float* plane = x + (size_t)(im * c + k) * h * wd;
    float sum = 0.f;
    for (int u = 0; u < 5; ++u)
        for (int v = 0; v < 5; ++v) {
            int yy = py + u - 2, xx = px + v - 2;
            if (yy >= 0 && yy < h && xx >= 0 && xx < wd) sum += plane[yy * wd + xx] * w[k * 25 + u * 5 + v];
        }
    out[(size_t)(im * c + k) * h * wd + py * wd + px] = sum;
}
extern "C" void depthwise(const float* x, const float* w, float* out, int b, int c, int h, int wd, cudaStream_t stream) {
    long long n = (long long)b * c * h * wd;
    dw_channel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, w, out, b, c, h, wd);
}
