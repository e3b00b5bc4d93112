// kernelwright: task=../../tasks/jump_flood.py entry=jump_flood args="seed, out, seed.shape[0], seed.shape[1]"
// candidates as two shorts (y, x) in one word: no division left
#include <cuda_runtime.h>

__device__ short2 bufA[1024 * 1024];
__device__ short2 bufB[1024 * 1024];

__global__ void init(const unsigned char* seed, short2* best, int h, int w) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h) best[y * w + x] = seed[y * w + x] ? make_short2(x, y) : make_short2(-1, -1);
}

template <bool LAST>
__global__ void flood(const short2* __restrict__ src, short2* __restrict__ dst, int* __restrict__ out, int h, int w, int step) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    short2 best = src[y * w + x];
    int dist = best.x < 0 ? 1 << 30 : (best.y - y) * (best.y - y) + (best.x - x) * (best.x - x);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int yy = y + (k / 3 - 1) * step, xx = x + (k % 3 - 1) * step;
        if (k == 4 || yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
        short2 c = src[yy * w + xx];
        if (c.x < 0) continue;
        int d = (c.y - y) * (c.y - y) + (c.x - x) * (c.x - x);
        if (d < dist) { dist = d; best = c; }
    }
    if (LAST) out[y * w + x] = best.x < 0 ? -1 : best.y * w + best.x;
    else dst[y * w + x] = best;
}

extern "C" void jump_flood(const unsigned char* seed, int* out, int h, int w, cudaStream_t stream) {
    short2 *a, *b;
    cudaGetSymbolAddress((void**)&a, bufA);
    cudaGetSymbolAddress((void**)&b, bufB);
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    init<<<grid, block, 0, stream>>>(seed, a, h, w);
    for (int step = 512; step > 1; step /= 2) {
        flood<false><<<grid, block, 0, stream>>>(a, b, out, h, w, step);
        short2* t = a; a = b; b = t;
    }
    flood<true><<<grid, block, 0, stream>>>(a, b, out, h, w, 1);
}
