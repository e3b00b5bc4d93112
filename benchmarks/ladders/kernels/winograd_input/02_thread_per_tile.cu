// kernelwright: task=../../tasks/winograd_input.py entry=winograd args="x, out, x.shape[0], x.shape[1]"
// a thread a tile: sixteen pixels, the transform in registers, sixteen stores that neighbours share
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) wi_tile(const float* __restrict__ x, float* __restrict__ out, int n, int c) {
    int p = blockIdx.x * 128 + threadIdx.x, ch = blockIdx.y, tiles = n * 784;
    if (p >= tiles) return;
    int ty = p % 784 / 28 * 2 - 1, tx = p % 28 * 2 - 1;
    const float* plane = x + (size_t)(p / 784 * c + ch) * 3136;
    float d[4][4], m[4][4];
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            int y = ty + r, u = tx + q;
            d[r][q] = y >= 0 && y < 56 && u >= 0 && u < 56 ? plane[y * 56 + u] : 0.f;
        }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        m[0][q] = d[0][q] - d[2][q];
        m[1][q] = d[1][q] + d[2][q];
        m[2][q] = d[2][q] - d[1][q];
        m[3][q] = d[1][q] - d[3][q];
    }
    size_t step = (size_t)c * tiles;
    float* o = out + (size_t)ch * tiles + p;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        o[(r * 4 + 0) * step] = m[r][0] - m[r][2];
        o[(r * 4 + 1) * step] = m[r][1] + m[r][2];
        o[(r * 4 + 2) * step] = m[r][2] - m[r][1];
        o[(r * 4 + 3) * step] = m[r][1] - m[r][3];
    }
}
extern "C" void winograd(const float* x, float* out, int n, int c, cudaStream_t stream) {
    wi_tile<<<dim3((n * 784 + 127) / 128, c), 128, 0, stream>>>(x, out, n, c);
}
