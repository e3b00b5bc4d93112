// kernelwright: task=../../tasks/jump_flood.py entry=jump_flood args="seed, out, seed.shape[0], seed.shape[1]"
// ping-pong between two device buffers, ten rounds, division for the coordinates of every candidate
#include <cuda_runtime.h>

__device__ int bufA[1024 * 1024];
__device__ int bufB[1024 * 1024];

__global__ void init(const unsigned char* seed, int* best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) best[i] = seed[i] ? i : -1;
}

__global__ void flood(const int* src, int* dst, int h, int w, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= h * w) return;
    int y = i / w, x = i % w;
    int best = src[i];
    int dist = 1 << 30;
    if (best >= 0) dist = (best / w - y) * (best / w - y) + (best % w - x) * (best % w - x);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int yy = y + dy * step, xx = x + dx * step;
            if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
            int c = src[yy * w + xx];
            if (c < 0) continue;
            int d = (c / w - y) * (c / w - y) + (c % w - x) * (c % w - x);
            if (d < dist) { dist = d; best = c; }
        }
    dst[i] = best;
}

extern "C" void jump_flood(const unsigned char* seed, int* out, int h, int w, cudaStream_t stream) {
    int n = h * w, blocks = (n + 255) / 256;
    int *a, *b;
    cudaGetSymbolAddress((void**)&a, bufA);
    cudaGetSymbolAddress((void**)&b, bufB);
    init<<<blocks, 256, 0, stream>>>(seed, a, n);
    for (int step = 512; step >= 1; step /= 2) {
        int* dst = step == 1 ? out : b;
        flood<<<blocks, 256, 0, stream>>>(a, dst, h, w, step);
        b = a;
        a = dst;
    }
}
