// kernelwright: task=../../tasks/merge_sorted.py entry=merge args="a, b, out, a.shape[0], b.shape[0]"
// diagonals of blocks by a launch of their own, then 2048 values a block merged in shared memory
#include <cuda_runtime.h>

__device__ int mg_split[(1 << 13) + 1];

__global__ void mg_diagonals(const float* __restrict__ a, const float* __restrict__ b, int n, int m, int parts) {
    int p = blockIdx.x * 128 + threadIdx.x;
    if (p > parts) return;
    int d = min(p * 2048, n + m), lo = max(0, d - m), hi = min(d, n);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] <= b[d - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    mg_split[p] = lo;
}
__global__ void __launch_bounds__(256) mg_block(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int n, int m) {
    __shared__ float s[2048];
    int t = threadIdx.x, d0 = blockIdx.x * 2048, i0 = mg_split[blockIdx.x], i1 = mg_split[blockIdx.x + 1];
    int total = min(2048, n + m - d0), na = i1 - i0, nb = total - na;
    for (int i = t; i < total; i += 256) s[i] = i < na ? a[i0 + i] : b[d0 - i0 + i - na];
    __syncthreads();
    int d = min(t * 8, total), lo = max(0, d - nb), hi = min(d, na);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (s[mid] <= s[na + d - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    int i = lo, j = d - lo;
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        bool left = i < na && (j >= nb || s[i] <= s[na + j]);
        int from = left ? i++ : na + j++;
        v[k] = from < total ? s[from] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) s[t * 8 + k] = v[k];
    __syncthreads();
    for (int k = t; k < total; k += 256) out[d0 + k] = s[k];
}
extern "C" void merge(const float* a, const float* b, float* out, int n, int m, cudaStream_t stream) {
    int parts = (n + m + 2047) / 2048;
    mg_diagonals<<<(parts + 128) / 128, 128, 0, stream>>>(a, b, n, m, parts);
    mg_block<<<parts, 256, 0, stream>>>(a, b, out, n, m);
}
