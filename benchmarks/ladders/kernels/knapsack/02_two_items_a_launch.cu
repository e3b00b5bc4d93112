// kernelwright: task=../../tasks/knapsack.py entry=knapsack args="weight, value, start, out, weight.shape[0], start.shape[0]"
// two items at once: four candidates a capacity
#include <cuda_runtime.h>

__device__ int kn_room[2][200000];

__global__ void kn_pair(const int* __restrict__ weight, const int* __restrict__ value, int item, int items, const int* __restrict__ from, int* __restrict__ to, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    int w = weight[item], v = value[item], best = from[c];
    if (c >= w) best = max(best, from[c - w] + v);
    if (item + 1 < items) {
        int w2 = weight[item + 1], v2 = value[item + 1];
        if (c >= w2) best = max(best, from[c - w2] + v2);
        if (c >= w + w2) best = max(best, from[c - w - w2] + v + v2);
    }
    to[c] = best;
}
extern "C" void knapsack(const int* weight, const int* value, const int* start, int* out, int items, int n, cudaStream_t stream) {
    int* room;
    cudaGetSymbolAddress((void**)&room, kn_room);
    const int* from = start;
    for (int i = 0; i < items; i += 2) {
        int* to = i + 2 >= items ? out : room + i / 2 % 2 * 200000;
        kn_pair<<<(n + 255) / 256, 256, 0, stream>>>(weight, value, i, items, from, to, n);
        from = to;
    }
}
