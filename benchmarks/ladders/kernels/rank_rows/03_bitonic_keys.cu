// kernelwright: task=../../tasks/rank_rows.py entry=rank_rows args="x, out, x.shape[0]"
// bitonic sort of 64 bit keys, value above index, in shared memory; the place of a key is its index's rank
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) rr_bitonic(const float* __restrict__ x, int* __restrict__ out) {
    __shared__ unsigned long long s[512];
    __shared__ int rank[512];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 256) {
        unsigned u = __float_as_uint(x[blockIdx.x * 512 + i] + 0.f);
        u = u & 0x80000000u ? ~u : u | 0x80000000u;
        s[i] = (unsigned long long)u << 32 | i;
    }
    for (int k = 2; k <= 512; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            int a = 2 * t - (t & (j - 1)), b = a + j;
            unsigned long long p = s[a], q = s[b];
            if ((p > q) == !(a & k)) {
                s[a] = q;
                s[b] = p;
            }
        }
    __syncthreads();
    for (int i = t; i < 512; i += 256) rank[(unsigned)s[i]] = i;
    __syncthreads();
    for (int i = t; i < 512; i += 256) out[blockIdx.x * 512 + i] = rank[i];
}
extern "C" void rank_rows(const float* x, int* out, int rows, cudaStream_t stream) {
    rr_bitonic<<<rows, 256, 0, stream>>>(x, out);
}
