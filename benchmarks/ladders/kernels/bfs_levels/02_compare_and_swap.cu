// kernelwright: task=../../tasks/bfs_levels.py entry=bfs args="near, out, out.shape[0]"
// the same, edges by 16 bytes, stores by atomicCAS
#include <cuda_runtime.h>

__global__ void bf_clear(int* level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = i ? -1 : 0;
}
__global__ void __launch_bounds__(256) bf_swap(const int4* __restrict__ near, int* level, int n, int step) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n || level[i] != step) return;
    int4 a = near[i * 2], b = near[i * 2 + 1];
    int to[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int k = 0; k < 8; ++k) atomicCAS(&level[to[k]], -1, step + 1);
}
extern "C" void bfs(const int* near, int* level, int n, cudaStream_t stream) {
    bf_clear<<<(n + 255) / 256, 256, 0, stream>>>(level, n);
    for (int s = 0; s < 32; ++s) bf_swap<<<(n + 255) / 256, 256, 0, stream>>>((const int4*)near, level, n, s);
}
