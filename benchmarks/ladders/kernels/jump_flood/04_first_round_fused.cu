// kernelwright: task=../../tasks/jump_flood.py entry=jump_flood args="seed, out, seed.shape[0], seed.shape[1]"
// the first round reads the bytes itself: one launch less; blocks of 128
#include <cuda_runtime.h>

__device__ short2 bufA[1024 * 1024];
__device__ short2 bufB[1024 * 1024];

__device__ __forceinline__ int sq(int a) { return a * a; }

__global__ void flood_bytes(const unsigned char* __restrict__ seed, short2* __restrict__ dst, int h, int w, int step) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    short2 best = make_short2(-1, -1);
    int dist = 1 << 30;
    if (seed[y * w + x]) { best = make_short2(x, y); dist = 0; }
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int yy = y + (k / 3 - 1) * step, xx = x + (k % 3 - 1) * step;
        if (yy < 0 || yy >= h || xx < 0 || xx >= w || !seed[yy * w + xx]) continue;
        int d = sq(yy - y) + sq(xx - x);
        if (d < dist) { dist = d; best = make_short2(xx, yy); }
    }
    dst[y * w + x] = best;
}

template <bool LAST>
__global__ void flood(const short2* __restrict__ src, short2* __restrict__ dst, int* __restrict__ out, int h, int w, int step) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    short2 best = src[y * w + x];
    int dist = best.x < 0 ? 1 << 30 : sq(best.y - y) + sq(best.x - x);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int yy = y + (k / 3 - 1) * step, xx = x + (k % 3 - 1) * step;
        if (k == 4 || yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
        short2 c = src[yy * w + xx];
        int d = c.x < 0 ? 1 << 30 : sq(c.y - y) + sq(c.x - x);
        if (d < dist) { dist = d; best = c; }
    }
    if (LAST) out[y * w + x] = best.x < 0 ? -1 : best.y * w + best.x;
    else dst[y * w + x] = best;
}

extern "C" void jump_flood(const unsigned char* seed, int* out, int h, int w, cudaStream_t stream) {
    short2 *a, *b;
    cudaGetSymbolAddress((void**)&a, bufA);
    cudaGetSymbolAddress((void**)&b, bufB);
    dim3 block(32, 4), grid((w + 31) / 32, (h + 3) / 4);
    flood_bytes<<<grid, block, 0, stream>>>(seed, a, h, w, 512);
    for (int step = 256; step > 1; step /= 2) {
        flood<false><<<grid, block, 0, stream>>>(a, b, out, h, w, step);
        short2* t = a; a = b; b = t;
    }
    flood<true><<<grid, block, 0, stream>>>(a, b, out, h, w, 1);
}
