// kernelwright: task=../../tasks/bilateral.py entry=bilateral args="x, out, x.shape[0], x.shape[1]"
// a thread a pixel, the weight as it is written down
#include <cuda_runtime.h>

__global__ void bl_plain(const float* x, float* out, int h, int w) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (c >= w || r >= h) return;
    float mid = x[r * w + c], total = 0.f, weights = 0.f;
    for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -3; dx <= 3; ++dx) {
            int rr = min(max(r + dy, 0), h - 1), cc = min(max(c + dx, 0), w - 1);
            float v = x[rr * w + cc], d = v - mid;
            float k = expf(-(float)(dx * dx + dy * dy) / 8.f - d * d * 8.f);
            total += k * v;
            weights += k;
        }
    out[r * w + c] = total / weights;
}
extern "C" void bilateral(const float* x, float* out, int h, int w, cudaStream_t stream) {
    bl_plain<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16), 0, stream>>>(x, out, h, w);
}
