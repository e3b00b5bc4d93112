// kernelwright: task=../../tasks/bfs_levels.py entry=bfs args="near, out, out.shape[0]"
// nodes found are gathered in shared memory first: an atomic on the queue's length a block and round
#include <cuda_runtime.h>

__device__ int bf_queue[2][1 << 18], bf_count[40];

__global__ void bf_start(int* level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = i ? -1 : 0;
    if (i < 40) bf_count[i] = i == 0;
    if (i == 0) bf_queue[0][0] = 0;
}
__global__ void __launch_bounds__(256) bf_gather(const int* __restrict__ near, int* level, int step) {
    __shared__ int found[256], count, base;
    int total = bf_count[step] * 8;
    const int* from = bf_queue[step % 2];
    int* to = bf_queue[(step + 1) % 2];
    for (int i0 = blockIdx.x * 256; i0 < total; i0 += gridDim.x * 256) {
        int i = i0 + threadIdx.x;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        if (i < total) {
            int v = near[from[i / 8] * 8 + i % 8];
            if (atomicCAS(&level[v], -1, step + 1) == -1) found[atomicAdd(&count, 1)] = v;
        }
        __syncthreads();
        if (threadIdx.x == 0) base = atomicAdd(&bf_count[step + 1], count);
        __syncthreads();
        if (threadIdx.x < count) to[base + threadIdx.x] = found[threadIdx.x];
        __syncthreads();
    }
}
extern "C" void bfs(const int* near, int* level, int n, cudaStream_t stream) {
    bf_start<<<(n + 255) / 256, 256, 0, stream>>>(level, n);
    for (int s = 0; s < 32; ++s) bf_gather<<<132, 256, 0, stream>>>(near, level, s);
}
