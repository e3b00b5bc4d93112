// kernelwright: task=../../tasks/ntt_rows.py entry=ntt args="x, w, out, x.shape[0]"
// Montgomery products, two stages between barriers: four numbers of a thread in registers
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned nt_mul(unsigned x, unsigned y) {
    const unsigned p = 998244353u, minus_inverse = 998244351u;
    unsigned long long t = (unsigned long long)x * y;
    unsigned k = (unsigned)t * minus_inverse;
    unsigned r = (unsigned)((t + (unsigned long long)k * p) >> 32);
    return r >= p ? r - p : r;
}
__device__ __forceinline__ void nt_pair(unsigned& u, unsigned& x, unsigned root) {
    const unsigned p = 998244353u;
    unsigned v = nt_mul(x, root), s = u + v, d = u + p - v;
    u = s >= p ? s - p : s;
    x = d >= p ? d - p : d;
}
__global__ void __launch_bounds__(256) nt_four(const int* __restrict__ x, const int* __restrict__ w, int* __restrict__ out) {
    __shared__ unsigned a[1024], root[512];
    const unsigned p = 998244353u;
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
#pragma unroll
    for (int i = 0; i < 4; ++i) a[__brev(t + i * 256) >> 22] = x[base + t + i * 256];
    root[t] = (unsigned)(((unsigned long long)w[t] << 32) % p);
    root[t + 256] = (unsigned)(((unsigned long long)w[t + 256] << 32) % p);
#pragma unroll
    for (int lg = 0; lg < 10; lg += 2) {
        __syncthreads();
        int m = 1 << lg, j = t & (m - 1), at = 4 * (t - j) + j;
        unsigned q0 = a[at], q1 = a[at + m], q2 = a[at + 2 * m], q3 = a[at + 3 * m];
        unsigned r = root[j << (9 - lg)];
        nt_pair(q0, q1, r);
        nt_pair(q2, q3, r);
        nt_pair(q0, q2, root[j << (8 - lg)]);
        nt_pair(q1, q3, root[(j + m) << (8 - lg)]);
        a[at] = q0;
        a[at + m] = q1;
        a[at + 2 * m] = q2;
        a[at + 3 * m] = q3;
    }
    __syncthreads();
    ((uint4*)(out + base))[t] = ((uint4*)a)[t];
}
extern "C" void ntt(const int* x, const int* w, int* out, int rows, cudaStream_t stream) {
    nt_four<<<rows, 256, 0, stream>>>(x, w, out);
}
