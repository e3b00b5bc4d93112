// kernelwright: task=../../tasks/stencil2d.py entry=stencil2d args="x, out, x.shape[0], x.shape[1]"
// neighbouring lanes take neighbouring rows
#include <cuda_runtime.h>

__global__ void st_rows(const float* x, float* y, int h, int w) {
    int r = blockIdx.y * 32 + threadIdx.x, c = blockIdx.x * 8 + threadIdx.y;
    if (r >= h || c >= w) return;
    size_t i = (size_t)r * w + c;
    float v = x[i];
    if (r > 0 && c > 0 && r < h - 1 && c < w - 1) v = 0.5f * v + 0.125f * (x[i - w] + x[i + w] + x[i - 1] + x[i + 1]);
    y[i] = v;
}
extern "C" void stencil2d(const float* x, float* out, int h, int w, cudaStream_t stream) {
    static float* ws = nullptr;
    static size_t cap = 0;
    size_t n = (size_t)h * w;
    if (cap < n) { if (ws) cudaFree(ws); cudaMalloc(&ws, sizeof(float) * n); cap = n; }
    const float* from[4] = {x, ws, out, ws};
    float* to[4] = {ws, out, ws, out};
    for (int i = 0; i < 4; ++i) st_rows<<<dim3((w + 7) / 8, (h + 31) / 32), dim3(32, 8), 0, stream>>>(from[i], to[i], h, w);
}
