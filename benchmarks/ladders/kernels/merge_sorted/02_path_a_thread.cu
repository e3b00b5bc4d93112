// kernelwright: task=../../tasks/merge_sorted.py entry=merge args="a, b, out, a.shape[0], b.shape[0]"
// merge path: a thread finds its diagonal and merges 16 values from global memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) mg_path(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n, int m) {
    int d = (blockIdx.x * 128 + threadIdx.x) * 16;
    if (d >= n + m) return;
    int lo = max(0, d - m), hi = min(d, n);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] <= b[d - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    int i = lo, j = d - lo;
    for (int k = 0; k < 16 && d + k < n + m; ++k) {
        bool left = i < n && (j >= m || a[i] <= b[j]);
        out[d + k] = left ? a[i++] : b[j++];
    }
}
extern "C" void merge(const float* a, const float* b, float* out, int n, int m, cudaStream_t stream) {
    mg_path<<<((n + m + 15) / 16 + 127) / 128, 128, 0, stream>>>(a, b, out, n, m);
}
