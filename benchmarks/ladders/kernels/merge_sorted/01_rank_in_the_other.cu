// kernelwright: task=../../tasks/merge_sorted.py entry=merge args="a, b, out, a.shape[0], b.shape[0]"
// a thread an element: its rank in the other vector by binary search, a store of its own
#include <cuda_runtime.h>

__global__ void mg_rank(const float* a, const float* b, float* out, int n, int m, int after) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = a[i];
    int lo = 0, hi = m;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (b[mid] < v || (after && b[mid] == v)) lo = mid + 1;
        else hi = mid;
    }
    out[i + lo] = v;
}
extern "C" void merge(const float* a, const float* b, float* out, int n, int m, cudaStream_t stream) {
    mg_rank<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n, m, 0);
    mg_rank<<<(m + 255) / 256, 256, 0, stream>>>(b, a, out, m, n, 1);
}
