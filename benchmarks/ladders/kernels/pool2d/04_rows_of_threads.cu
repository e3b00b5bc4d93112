// kernelwright: task=../../tasks/pool2d.py entry=pool2d args="x, out, x.shape[0] * x.shape[1], x.shape[2], x.shape[3], out.shape[2], out.shape[3]"
// a thread walks down a column of 16 outputs and keeps the row that two windows share
#include <cuda_runtime.h>

__global__ void po_walk(const float* x, float* out, int h, int w, int oh, int ow) {
    int c = threadIdx.x, r0 = blockIdx.x * 16;
    if (c >= ow) return;
    const float* from = x + (size_t)blockIdx.y * h * w + 2 * c;
    auto row = [&](int r) { const float* p = from + (size_t)r * w; return fmaxf(fmaxf(p[0], p[1]), p[2]); };
    float last = row(2 * r0);
    for (int r = r0; r < r0 + 16 && r < oh; ++r) {
        float a = row(2 * r + 1), b = row(2 * r + 2);
        out[((size_t)blockIdx.y * oh + r) * ow + c] = fmaxf(last, fmaxf(a, b));
        last = b;
    }
}
extern "C" void pool2d(const float* x, float* out, int planes, int h, int w, int oh, int ow, cudaStream_t stream) {
    po_walk<<<dim3((oh + 15) / 16, planes), (ow + 31) / 32 * 32, 0, stream>>>(x, out, h, w, oh, ow);
}
