// kernelwright: task=../../tasks/bfs_levels.py entry=bfs args="near, out, out.shape[0]"
// a launch a level: every node looks whether it is of this level, and plainly stores to neighbours that have none
#include <cuda_runtime.h>

__global__ void bf_clear(int* level, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = i ? -1 : 0;
}
__global__ void bf_all(const int* near, int* level, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || level[i] != step) return;
    for (int k = 0; k < 8; ++k) {
        int v = near[i * 8 + k];
        if (level[v] < 0) level[v] = step + 1;
    }
}
extern "C" void bfs(const int* near, int* level, int n, cudaStream_t stream) {
    bf_clear<<<(n + 255) / 256, 256, 0, stream>>>(level, n);
    for (int s = 0; s < 32; ++s) bf_all<<<(n + 255) / 256, 256, 0, stream>>>(near, level, n, s);
}
