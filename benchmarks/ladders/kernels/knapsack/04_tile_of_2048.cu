// kernelwright: task=../../tasks/knapsack.py entry=knapsack args="weight, value, start, out, weight.shape[0], start.shape[0]"
// tiles of 2048: twice the blocks for 132 processors, more of each is margin
#include <cuda_runtime.h>

__device__ int kn_room[2][200000];
constexpr int TILE = 2048, REACH = 4 * 900, ROOM = TILE + REACH;

__global__ void __launch_bounds__(1024) kn_four(const int* __restrict__ weight, const int* __restrict__ value, int item, int items, const int* __restrict__ from, int* __restrict__ to, int n) {
    __shared__ int best[2 * ROOM];
    int *a = best, *b = best + ROOM, c0 = blockIdx.x * TILE - REACH;
    for (int i = threadIdx.x; i < ROOM; i += 1024) {
        int c = c0 + i;
        a[i] = c >= 0 && c < n ? from[c] : -(1 << 28);
    }
    __syncthreads();
    int end = min(item + 4, items);
    for (int k = item; k < end; k++) {
        int w = __ldg(weight + k), v = __ldg(value + k);
#pragma unroll
        for (int i = threadIdx.x; i < ROOM; i += 1024) {
            int x = a[i];
            if (i >= w) x = max(x, a[i - w] + v);
            b[i] = x;
        }
        __syncthreads();
        int* swap = a;
        a = b;
        b = swap;
    }
    for (int i = threadIdx.x; i < TILE; i += 1024)
        if (c0 + REACH + i < n) to[c0 + REACH + i] = a[REACH + i];
}
extern "C" void knapsack(const int* weight, const int* value, const int* start, int* out, int items, int n, cudaStream_t stream) {
    int* room;
    cudaGetSymbolAddress((void**)&room, kn_room);
    const int* from = start;
    for (int i = 0; i < items; i += 4) {
        int* to = i + 4 >= items ? out : room + i / 4 % 2 * 200000;
        kn_four<<<(n + TILE - 1) / TILE, 1024, 0, stream>>>(weight, value, i, items, from, to, n);
        from = to;
    }
}
