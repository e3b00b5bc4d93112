// kernelwright: task=../../tasks/dilate_bytes.py entry=dilate args="x, out, x.shape[0], x.shape[1]"
// a tile with its margin in shared memory: rows, then columns, in one launch
#include <cuda_runtime.h>

__global__ void di_shared(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int H, int W) {
    __shared__ unsigned char tile[24][72], rows[24][64];
    int t = threadIdx.x, x0 = blockIdx.x * 64, y0 = blockIdx.y * 16;
    for (int i = t; i < 24 * 72; i += 256) {
        int y = y0 + i / 72 - 4, x = x0 + i % 72 - 4;
        tile[i / 72][i % 72] = y >= 0 && y < H && x >= 0 && x < W ? in[y * W + x] : 0;
    }
    __syncthreads();
    for (int i = t; i < 24 * 64; i += 256) {
        int best = 0;
#pragma unroll
        for (int d = 0; d < 9; d++) best = max(best, (int)tile[i / 64][i % 64 + d]);
        rows[i / 64][i % 64] = best;
    }
    __syncthreads();
    for (int i = t; i < 16 * 64; i += 256) {
        int y = y0 + i / 64, x = x0 + i % 64, best = 0;
#pragma unroll
        for (int d = 0; d < 9; d++) best = max(best, (int)rows[i / 64 + d][i % 64]);
        if (y < H && x < W) out[y * W + x] = best;
    }
}
extern "C" void dilate(const unsigned char* x, unsigned char* out, int H, int W, cudaStream_t stream) {
    di_shared<<<dim3((W + 63) / 64, (H + 15) / 16), 256, 0, stream>>>(x, out, H, W);
}
