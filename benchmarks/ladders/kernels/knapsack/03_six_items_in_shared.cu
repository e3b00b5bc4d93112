// kernelwright: task=../../tasks/knapsack.py entry=knapsack args="weight, value, start, out, weight.shape[0], start.shape[0]"
// six items a launch: a tile of 4096 capacities with the 5400 before it in shared memory, two buffers
#include <cuda_runtime.h>

__device__ int kn_room[2][200000];
constexpr int TILE = 4096, REACH = 6 * 900, ROOM = TILE + REACH;

__global__ void __launch_bounds__(512) kn_six(const int* __restrict__ weight, const int* __restrict__ value, int item, int items, const int* __restrict__ from, int* __restrict__ to, int n) {
    extern __shared__ int best[];
    int *a = best, *b = best + ROOM, c0 = blockIdx.x * TILE - REACH;
    for (int i = threadIdx.x; i < ROOM; i += 512) {
        int c = c0 + i;
        a[i] = c >= 0 && c < n ? from[c] : -(1 << 28);
    }
    __syncthreads();
    int end = min(item + 6, items);
    for (int k = item; k < end; k++) {
        int w = weight[k], v = value[k];
        for (int i = threadIdx.x; i < ROOM; i += 512) {
            int x = a[i];
            if (i >= w) x = max(x, a[i - w] + v);
            b[i] = x;
        }
        __syncthreads();
        int* swap = a;
        a = b;
        b = swap;
    }
    for (int i = threadIdx.x; i < TILE; i += 512)
        if (c0 + REACH + i < n) to[c0 + REACH + i] = a[REACH + i];
}
extern "C" void knapsack(const int* weight, const int* value, const int* start, int* out, int items, int n, cudaStream_t stream) {
    int* room;
    cudaGetSymbolAddress((void**)&room, kn_room);
    cudaFuncSetAttribute(kn_six, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * ROOM * (int)sizeof(int));
    const int* from = start;
    for (int i = 0; i < items; i += 6) {
        int* to = i + 6 >= items ? out : room + i / 6 % 2 * 200000;
        kn_six<<<(n + TILE - 1) / TILE, 512, 2 * ROOM * sizeof(int), stream>>>(weight, value, i, items, from, to, n);
        from = to;
    }
}
