// kernelwright: task=../../tasks/stencil2d.py entry=stencil2d args="x, out, x.shape[0], x.shape[1]"
// a thread marches down 16 rows and keeps three values of its column
#include <cuda_runtime.h>

__global__ void st_march(const float* x, float* y, int h, int w) {
    int c = blockIdx.x * 128 + threadIdx.x, r0 = blockIdx.y * 16;
    if (c >= w) return;
    float up = r0 > 0 ? x[(size_t)(r0 - 1) * w + c] : 0.f, mid = x[(size_t)r0 * w + c];
    for (int r = r0; r < r0 + 16 && r < h; ++r) {
        size_t i = (size_t)r * w + c;
        float down = r + 1 < h ? x[i + w] : 0.f, v = mid;
        if (r > 0 && c > 0 && r < h - 1 && c < w - 1) v = 0.5f * mid + 0.125f * (up + down + x[i - 1] + x[i + 1]);
        y[i] = v;
        up = mid;
        mid = down;
    }
}
extern "C" void stencil2d(const float* x, float* out, int h, int w, cudaStream_t stream) {
    static float* ws = nullptr;
    static size_t cap = 0;
    size_t n = (size_t)h * w;
    if (cap < n) { if (ws) cudaFree(ws); cudaMalloc(&ws, sizeof(float) * n); cap = n; }
    const float* from[4] = {x, ws, out, ws};
    float* to[4] = {ws, out, ws, out};
    for (int i = 0; i < 4; ++i) st_march<<<dim3((w + 127) / 128, (h + 15) / 16), 128, 0, stream>>>(from[i], to[i], h, w);
}
