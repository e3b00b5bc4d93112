// kernelwright: task=../../tasks/jump_flood.py entry=jump_flood args="seed, out, seed.shape[0], seed.shape[1]"
// 2-d blocks: no division for the pixel's own place
#include <cuda_runtime.h>

__device__ int bufA[1024 * 1024];
__device__ int bufB[1024 * 1024];

__global__ void init(const unsigned char* seed, int* best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) best[i] = seed[i] ? i : -1;
}

__global__ void flood(const int* __restrict__ src, int* __restrict__ dst, int h, int w, int step) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    int best = src[y * w + x];
    int dist = 1 << 30;
    if (best >= 0) {
        int by = best / w, bx = best - by * w;
        dist = (by - y) * (by - y) + (bx - x) * (bx - x);
    }
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            int yy = y + dy * step, xx = x + dx * step;
            if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
            int c = __ldg(src + yy * w + xx);
            if (c < 0) continue;
            int cy = c / w, cx = c - cy * w;
            int d = (cy - y) * (cy - y) + (cx - x) * (cx - x);
            if (d < dist) { dist = d; best = c; }
        }
    dst[y * w + x] = best;
}

extern "C" void jump_flood(const unsigned char* seed, int* out, int h, int w, cudaStream_t stream) {
    int n = h * w;
    int *a, *b;
    cudaGetSymbolAddress((void**)&a, bufA);
    cudaGetSymbolAddress((void**)&b, bufB);
    init<<<(n + 255) / 256, 256, 0, stream>>>(seed, a, n);
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    for (int step = 512; step >= 1; step /= 2) {
        int* dst = step == 1 ? out : b;
        flood<<<grid, block, 0, stream>>>(a, dst, h, w, step);
        b = a;
        a = dst;
    }
}
