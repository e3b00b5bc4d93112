// kernelwright: task=../../tasks/sobel_bytes.py entry=sobel args="x, out, x.shape[0], x.shape[1]"
// a tile of 32 x 8 pixels and its border in shared memory, as integers
#include <cuda_runtime.h>

__global__ void sb_tile(const unsigned char* x, unsigned char* out, int h, int w) {
    __shared__ int s[10][34];
    int c0 = blockIdx.x * 32 - 1, r0 = blockIdx.y * 8 - 1, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 340; i += 256) {
        int c = c0 + i % 34, r = r0 + i / 34;
        s[i / 34][i % 34] = c >= 0 && c < w && r >= 0 && r < h ? x[(size_t)r * w + c] : 0;
    }
    __syncthreads();
    int c = c0 + 1 + threadIdx.x, r = r0 + 1 + threadIdx.y, i = threadIdx.x, j = threadIdx.y;
    if (c >= w || r >= h) return;
    int gx = s[j][i + 2] + 2 * s[j + 1][i + 2] + s[j + 2][i + 2] - s[j][i] - 2 * s[j + 1][i] - s[j + 2][i];
    int gy = s[j + 2][i] + 2 * s[j + 2][i + 1] + s[j + 2][i + 2] - s[j][i] - 2 * s[j][i + 1] - s[j][i + 2];
    bool inside = c > 0 && r > 0 && c < w - 1 && r < h - 1;
    out[(size_t)r * w + c] = inside ? min(abs(gx) + abs(gy), 255) : 0;
}
extern "C" void sobel(const unsigned char* x, unsigned char* out, int h, int w, cudaStream_t stream) {
    sb_tile<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
