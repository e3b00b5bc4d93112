// kernelwright: task=../../tasks/kth_rows.py entry=kth_rows args="x, out, x.shape[0], 2047"
// the row in shared memory, four rounds of a histogram of 256 digits
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned ks_order(float f) {
    unsigned u = __float_as_uint(f);
    return u >> 31 ? ~u : u | 0x80000000u;
}
__global__ void __launch_bounds__(256) ks_digits(const float* __restrict__ x, float* __restrict__ out, int k) {
    __shared__ unsigned v[4096];
    __shared__ int h[256], digit, rest;
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += 256) v[i] = ks_order(x[(size_t)blockIdx.x * 4096 + i]);
    unsigned have = 0, mask = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        h[t] = 0;
        __syncthreads();
        for (int i = t; i < 4096; i += 256)
            if ((v[i] & mask) == have) atomicAdd(&h[v[i] >> shift & 255], 1);
        __syncthreads();
        int own = h[t];
        for (int d = 1; d < 256; d *= 2) {
            int o = t >= d ? h[t - d] : 0;
            __syncthreads();
            h[t] += o;
            __syncthreads();
        }
        if (k < h[t] && k >= h[t] - own) {
            digit = t;
            rest = k - (h[t] - own);
        }
        __syncthreads();
        have |= (unsigned)digit << shift;
        mask |= 255u << shift;
        k = rest;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = __uint_as_float(have >> 31 ? have & 0x7fffffffu : ~have);
}
extern "C" void kth_rows(const float* x, float* out, int rows, int k, cudaStream_t stream) {
    ks_digits<<<rows, 256, 0, stream>>>(x, out, k);
}
