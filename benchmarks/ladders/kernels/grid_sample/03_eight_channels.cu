// kernelwright: task=../../tasks/grid_sample.py entry=grid_sample args="x, grid, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// a thread a point and eight channels, unrolled
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) gs_eight(const float* __restrict__ x, const float2* __restrict__ grid, float* __restrict__ out, int n, int c, int h, int w) {
    int i = blockIdx.x * 128 + threadIdx.x, area = h * w;
    if (i >= n * area) return;
    int p = i % area, b = i / area;
    float2 g = grid[i];
    float fx = ((g.x + 1) * w - 1) / 2, fy = ((g.y + 1) * h - 1) / 2;
    int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
    float ax = fx - x0, ay = fy - y0;
    bool left = x0 >= 0 && x0 < w, right = x0 + 1 >= 0 && x0 + 1 < w, up = y0 >= 0 && y0 < h, down = y0 + 1 >= 0 && y0 + 1 < h;
    float nw = left && up ? (1 - ax) * (1 - ay) : 0.f, ne = right && up ? ax * (1 - ay) : 0.f;
    float sw = left && down ? (1 - ax) * ay : 0.f, se = right && down ? ax * ay : 0.f;
    int xl = min(max(x0, 0), w - 1), xr = min(max(x0 + 1, 0), w - 1), yu = min(max(y0, 0), h - 1) * w, yd = min(max(y0 + 1, 0), h - 1) * w;
    int first = blockIdx.y * 8, last = min(c, first + 8);
#pragma unroll 8
    for (int ch = first; ch < last; ++ch) {
        const float* image = x + (size_t)(b * c + ch) * area;
        out[(size_t)(b * c + ch) * area + p] = image[yu + xl] * nw + image[yu + xr] * ne + image[yd + xl] * sw + image[yd + xr] * se;
    }
}
extern "C" void grid_sample(const float* x, const float* grid, float* out, int n, int c, int h, int w, cudaStream_t stream) {
    gs_eight<<<dim3((n * h * w + 127) / 128, (c + 7) / 8), 128, 0, stream>>>(x, (const float2*)grid, out, n, c, h, w);
}
