// kernelwright: task=../../tasks/upsample.py entry=upsample args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an output, coordinates in double precision
#include <cuda_runtime.h>

__global__ void up_double(const float* x, float* out, int n, int h, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int ox = i % (2 * w), oy = i / (2 * w) % (2 * h), p = i / (4 * h * w);
    double fx = fmax(0.0, (ox + 0.5) * 0.5 - 0.5), fy = fmax(0.0, (oy + 0.5) * 0.5 - 0.5);
    int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    double ax = fx - x0, ay = fy - y0;
    const float* s = x + (size_t)p * h * w;
    out[i] = (float)((1 - ay) * ((1 - ax) * s[y0 * w + x0] + ax * s[y0 * w + x1]) + ay * ((1 - ax) * s[y1 * w + x0] + ax * s[y1 * w + x1]));
}
extern "C" void upsample(const float* x, float* out, int p, int h, int w, cudaStream_t stream) {
    int n = p * h * w * 4;
    up_double<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n, h, w);
}
