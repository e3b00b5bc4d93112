// kernelwright: task=../../tasks/knapsack.py entry=knapsack args="weight, value, start, out, weight.shape[0], start.shape[0]"
// a launch for each item, two buffers in turn, the weight read by every thread
#include <cuda_runtime.h>

__device__ int kn_room[2][200000];

__global__ void kn_item(const int* weight, const int* value, int item, const int* from, int* to, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    int w = weight[item], best = from[c];
    if (c >= w) best = max(best, from[c - w] + value[item]);
    to[c] = best;
}
extern "C" void knapsack(const int* weight, const int* value, const int* start, int* out, int items, int n, cudaStream_t stream) {
    int* room;
    cudaGetSymbolAddress((void**)&room, kn_room);
    const int* from = start;
    for (int i = 0; i < items; i++) {
        int* to = i == items - 1 ? out : room + i % 2 * 200000;
        kn_item<<<(n + 255) / 256, 256, 0, stream>>>(weight, value, i, from, to, n);
        from = to;
    }
}
