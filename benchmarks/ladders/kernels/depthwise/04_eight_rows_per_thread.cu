// kernelwright: task=../../tasks/depthwise.py entry=depthwise args="x, w, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// eight rows a thread, the filter and five columns in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) dw_rows(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int c, int h, int wd) {
    int plane = blockIdx.y, px = threadIdx.x, py = blockIdx.x * 8;
    if (px >= wd) return;
    const float* p = x + (size_t)plane * h * wd;
    float f[25], sum[8] = {};
#pragma unroll
    for (int i = 0; i < 25; ++i) f[i] = w[plane % c * 25 + i];
#pragma unroll
    for (int r = -2; r < 10; ++r) {
        int yy = py + r;
        float row[5];
#pragma unroll
        for (int v = 0; v < 5; ++v) {
            int xx = px + v - 2;
            row[v] = yy >= 0 && yy < h && xx >= 0 && xx < wd ? p[yy * wd + xx] : 0.f;
        }
#pragma unroll
        for (int o = 0; o < 8; ++o) {
            int u = r + 2 - o;
            if (u >= 0 && u < 5) {
#pragma unroll
                for (int v = 0; v < 5; ++v) sum[o] += row[v] * f[u * 5 + v];
            }
        }
    }
#pragma unroll
    for (int o = 0; o < 8; ++o) if (py + o < h) out[((size_t)plane * h + py + o) * wd + px] = sum[o];
}
extern "C" void depthwise(const float* x, const float* w, float* out, int b, int c, int h, int wd, cudaStream_t stream) {
    dw_rows<<<dim3((h + 7) / 8, b * c), 128, 0, stream>>>(x, w, out, c, h, wd);
}
