// Binary search reads log n edges a thread.
// kernelwright: task=../tasks/places_in_edges.py entry=ss args="edges, x, out, edges.numel(), x.numel()"
#include <cuda_runtime.h>

__global__ void k(const float* e, const float* x, long long* y, int E, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int lo = 0, hi = E; float v = x[i];
    while (lo < hi) { int mid = (lo + hi) / 2; if (e[mid] < v) lo = mid + 1; else hi = mid; }
    y[i] = lo;
}
void ss(const float* e, const float* x, long long* y, int E, int n) { k<<<(n + 255) / 256, 256>>>(e, x, y, E, n); }
