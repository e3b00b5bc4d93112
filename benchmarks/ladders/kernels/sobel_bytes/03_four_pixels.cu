// kernelwright: task=../../tasks/sobel_bytes.py entry=sobel args="x, out, x.shape[0], x.shape[1]"
// four pixels a thread, a word a row and a byte to each side
#include <cuda_runtime.h>

__device__ __forceinline__ void sb_row(const unsigned char* __restrict__ p, int c, int w, int (&v)[6]) {
    unsigned q = *(const unsigned*)(p + c);
    v[0] = c ? p[c - 1] : 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i + 1] = q >> (8 * i) & 255;
    v[5] = c + 4 < w ? p[c + 4] : 0;
}
__global__ void __launch_bounds__(128) sb_four(const unsigned char* __restrict__ x, unsigned char* __restrict__ out, int h, int w) {
    int c = (blockIdx.x * 128 + threadIdx.x) * 4, r = blockIdx.y;
    if (c >= w) return;
    unsigned g = 0;
    if (r > 0 && r < h - 1) {
        int a[6], b[6], d[6];
        sb_row(x + (size_t)(r - 1) * w, c, w, a);
        sb_row(x + (size_t)r * w, c, w, b);
        sb_row(x + (size_t)(r + 1) * w, c, w, d);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int gx = a[i + 2] + 2 * b[i + 2] + d[i + 2] - a[i] - 2 * b[i] - d[i];
            int gy = d[i] + 2 * d[i + 1] + d[i + 2] - a[i] - 2 * a[i + 1] - a[i + 2];
            unsigned v = min(abs(gx) + abs(gy), 255);
            if (c + i > 0 && c + i < w - 1) g |= v << (8 * i);
        }
    }
    *(unsigned*)(out + (size_t)r * w + c) = g;
}
extern "C" void sobel(const unsigned char* x, unsigned char* out, int h, int w, cudaStream_t stream) {
    sb_four<<<dim3((w + 511) / 512, h), 128, 0, stream>>>(x, out, h, w);
}
