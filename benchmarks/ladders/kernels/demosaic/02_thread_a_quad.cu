// kernelwright: task=../../tasks/demosaic.py entry=demosaic args="raw, out, raw.shape[0], raw.shape[1]"
// a thread a square of two by two: sixteen loads, no divergence
#include <cuda_runtime.h>

__device__ __forceinline__ int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

__global__ void demosaic_k(const unsigned char* __restrict__ raw, unsigned char* __restrict__ out, int h, int w) {
    int x = (blockIdx.x * 32 + threadIdx.x) * 2, y = (blockIdx.y * 8 + threadIdx.y) * 2;
    if (x >= w || y >= h) return;
    int p[4][4];
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) p[r][c] = raw[mirror(min(y + r - 1, h), h) * w + mirror(min(x + c - 1, w), w)];
    auto put = [&](int dy, int dx, int r, int g, int b) {
        if (y + dy >= h || x + dx >= w) return;
        unsigned char* o = out + ((size_t)(y + dy) * w + x + dx) * 3;
        o[0] = r; o[1] = g; o[2] = b;
    };
    put(0, 0, p[1][1], (p[0][1] + p[2][1] + p[1][0] + p[1][2] + 2) >> 2, (p[0][0] + p[0][2] + p[2][0] + p[2][2] + 2) >> 2);
    put(0, 1, (p[1][1] + p[1][3] + 1) >> 1, p[1][2], (p[0][2] + p[2][2] + 1) >> 1);
    put(1, 0, (p[1][1] + p[3][1] + 1) >> 1, p[2][1], (p[2][0] + p[2][2] + 1) >> 1);
    put(1, 1, (p[1][1] + p[1][3] + p[3][1] + p[3][3] + 2) >> 2, (p[1][2] + p[3][2] + p[2][1] + p[2][3] + 2) >> 2, p[2][2]);
}

extern "C" void demosaic(const unsigned char* raw, unsigned char* out, int h, int w, cudaStream_t stream) {
    demosaic_k<<<dim3((w + 63) / 64, (h + 15) / 16), dim3(32, 8), 0, stream>>>(raw, out, h, w);
}
