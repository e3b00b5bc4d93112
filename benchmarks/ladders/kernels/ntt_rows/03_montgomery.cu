// kernelwright: task=../../tasks/ntt_rows.py entry=ntt args="x, w, out, x.shape[0]"
// a block a row, Montgomery products, roots in shared memory
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned nt_mul(unsigned x, unsigned y) {
    const unsigned p = 998244353u, minus_inverse = 998244351u;
    unsigned long long t = (unsigned long long)x * y;
    unsigned k = (unsigned)t * minus_inverse;
    unsigned r = (unsigned)((t + (unsigned long long)k * p) >> 32);
    return r >= p ? r - p : r;
}
__global__ void __launch_bounds__(512) nt_fast(const int* __restrict__ x, const int* __restrict__ w, int* __restrict__ out) {
    __shared__ unsigned a[1024], root[512];
    const unsigned p = 998244353u;
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    a[__brev(t) >> 22] = x[base + t];
    a[__brev(t + 512) >> 22] = x[base + t + 512];
    root[t] = (unsigned)(((unsigned long long)w[t] << 32) % p);
    for (int m = 1, lg = 9; m < 1024; m *= 2, --lg) {
        __syncthreads();
        int j = t & (m - 1), at = 2 * (t - j) + j;
        unsigned u = a[at], v = nt_mul(a[at + m], root[j << lg]);
        unsigned s = u + v, d = u + p - v;
        a[at] = s >= p ? s - p : s;
        a[at + m] = d >= p ? d - p : d;
    }
    __syncthreads();
    out[base + t] = a[t];
    out[base + t + 512] = a[t + 512];
}
extern "C" void ntt(const int* x, const int* w, int* out, int rows, cudaStream_t stream) {
    nt_fast<<<rows, 512, 0, stream>>>(x, w, out);
}
