// kernelwright: task=../../tasks/demosaic.py entry=demosaic args="raw, out, raw.shape[0], raw.shape[1]"
// the raw tile with its rim in shared memory too
#include <cuda_runtime.h>

__device__ __forceinline__ int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; }

__global__ void __launch_bounds__(256) demosaic_k(const unsigned char* __restrict__ raw, unsigned* __restrict__ out, int h, int w) {
    __shared__ unsigned words[16][48];
    __shared__ unsigned char tile[18][68];
    int x0 = blockIdx.x * 64, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 18 * 66; i += 256) {
        int r = i / 66, c = i % 66;
        tile[r][c] = raw[mirror(min(y0 + r - 1, h), h) * w + mirror(min(x0 + c - 1, w), w)];
    }
    __syncthreads();
    int p[4][4];
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) p[r][c] = tile[threadIdx.y * 2 + r][threadIdx.x * 2 + c];
    auto put = [&](int dy, int dx, int r, int g, int b) {
        unsigned char* o = (unsigned char*)words[threadIdx.y * 2 + dy] + (threadIdx.x * 2 + dx) * 3;
        o[0] = r; o[1] = g; o[2] = b;
    };
    put(0, 0, p[1][1], (p[0][1] + p[2][1] + p[1][0] + p[1][2] + 2) >> 2, (p[0][0] + p[0][2] + p[2][0] + p[2][2] + 2) >> 2);
    put(0, 1, (p[1][1] + p[1][3] + 1) >> 1, p[1][2], (p[0][2] + p[2][2] + 1) >> 1);
    put(1, 0, (p[1][1] + p[3][1] + 1) >> 1, p[2][1], (p[2][0] + p[2][2] + 1) >> 1);
    put(1, 1, (p[1][1] + p[1][3] + p[3][1] + p[3][3] + 2) >> 2, (p[1][2] + p[3][2] + p[2][1] + p[2][3] + 2) >> 2, p[2][2]);
    __syncthreads();
    int row = w * 3 / 4;
    for (int i = t; i < 16 * 48; i += 256) {
        int r = i / 48, c = i % 48, word = x0 * 3 / 4 + c;
        if (y0 + r < h && word < row) out[(size_t)(y0 + r) * row + word] = words[r][c];
    }
}

extern "C" void demosaic(const unsigned char* raw, unsigned char* out, int h, int w, cudaStream_t stream) {
    demosaic_k<<<dim3((w + 63) / 64, (h + 15) / 16), dim3(32, 8), 0, stream>>>(raw, (unsigned*)out, h, w);
}
