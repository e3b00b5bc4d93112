// kernelwright: task=../../tasks/ntt_rows.py entry=ntt args="x, w, out, x.shape[0]"
// a block a row in shared memory, remainders of 64 bits for the products only
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) nt_row(const int* __restrict__ x, const int* __restrict__ w, int* __restrict__ out) {
    __shared__ int a[1024];
    const int p = 998244353;
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    a[__brev(t) >> 22] = x[base + t];
    a[__brev(t + 512) >> 22] = x[base + t + 512];
    for (int m = 1; m < 1024; m *= 2) {
        __syncthreads();
        int j = t & (m - 1), at = 2 * (t - j) + j;
        int u = a[at], v = (int)((long long)a[at + m] * w[j * (512 / m)] % p);
        int s = u + v, d = u - v;
        a[at] = s >= p ? s - p : s;
        a[at + m] = d < 0 ? d + p : d;
    }
    __syncthreads();
    out[base + t] = a[t];
    out[base + t + 512] = a[t + 512];
}
extern "C" void ntt(const int* x, const int* w, int* out, int rows, cudaStream_t stream) {
    nt_row<<<rows, 512, 0, stream>>>(x, w, out);
}
