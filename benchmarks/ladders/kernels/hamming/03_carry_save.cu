// kernelwright: task=../../tasks/hamming.py entry=hamming args="x, queries, out, x.shape[0], queries.shape[0]"
// seven words added up bit by bit before they are counted: four counts for eight words
#include <cuda_runtime.h>

__device__ __forceinline__ void hm_add(unsigned a, unsigned b, unsigned c, unsigned& sum, unsigned& carry) {
    sum = a ^ b ^ c;
    carry = (a & b) | (c & (a ^ b));
}
__global__ void __launch_bounds__(256) hm_carry(const uint4* __restrict__ x, const uint4* __restrict__ q, int* __restrict__ out, int n, int m) {
    extern __shared__ uint4 s[];
    for (int j = threadIdx.x; j < 2 * m; j += 256) s[j] = q[j];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    uint4 a = x[2 * i], b = x[2 * i + 1];
    int least = 256;
#pragma unroll 4
    for (int j = 0; j < m; ++j) {
        uint4 c = s[2 * j], d = s[2 * j + 1];
        unsigned s1, s2, s3, c1, c2, c3, t, f;
        hm_add(a.x ^ c.x, a.y ^ c.y, a.z ^ c.z, s1, c1);
        hm_add(a.w ^ c.w, b.x ^ d.x, b.y ^ d.y, s2, c2);
        hm_add(s1, s2, b.z ^ d.z, s3, c3);
        hm_add(c1, c2, c3, t, f);
        least = min(least, __popc(s3) + __popc(b.w ^ d.w) + 2 * __popc(t) + 4 * __popc(f));
    }
    out[i] = least;
}
extern "C" void hamming(const int* x, const int* queries, int* out, int n, int m, cudaStream_t stream) {
    hm_carry<<<(n + 255) / 256, 256, m * 32, stream>>>((const uint4*)x, (const uint4*)queries, out, n, m);
}
