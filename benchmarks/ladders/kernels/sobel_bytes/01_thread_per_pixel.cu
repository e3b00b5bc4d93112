// kernelwright: task=../../tasks/sobel_bytes.py entry=sobel args="x, out, x.shape[0], x.shape[1]"
// a thread a pixel, eight byte loads
#include <cuda_runtime.h>

__global__ void sb_pixel(const unsigned char* x, unsigned char* out, int h, int w) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (c >= w || r >= h) return;
    int g = 0;
    if (c > 0 && r > 0 && c < w - 1 && r < h - 1) {
        const unsigned char *a = x + (size_t)(r - 1) * w + c, *b = a + w, *d = b + w;
        int gx = a[1] + 2 * b[1] + d[1] - a[-1] - 2 * b[-1] - d[-1];
        int gy = d[-1] + 2 * d[0] + d[1] - a[-1] - 2 * a[0] - a[1];
        g = min(abs(gx) + abs(gy), 255);
    }
    out[(size_t)r * w + c] = g;
}
extern "C" void sobel(const unsigned char* x, unsigned char* out, int h, int w, cudaStream_t stream) {
    sb_pixel<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
