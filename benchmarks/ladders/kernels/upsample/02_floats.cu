// kernelwright: task=../../tasks/upsample.py entry=upsample args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an output, floats
#include <cuda_runtime.h>

__global__ void up_float(const float* x, float* out, int n, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int ox = i % (2 * w), oy = i / (2 * w) % (2 * h), p = i / (4 * h * w);
    float fx = fmaxf(0.f, (ox + 0.5f) * 0.5f - 0.5f), fy = fmaxf(0.f, (oy + 0.5f) * 0.5f - 0.5f);
    int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    float ax = fx - x0, ay = fy - y0;
    const float* s = x + (size_t)p * h * w;
    out[i] = (1 - ay) * ((1 - ax) * s[y0 * w + x0] + ax * s[y0 * w + x1]) + ay * ((1 - ax) * s[y1 * w + x0] + ax * s[y1 * w + x1]);
}
extern "C" void upsample(const float* x, float* out, int p, int h, int w, cudaStream_t stream) {
    int n = p * h * w * 4;
    up_float<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n, h, w);
}
