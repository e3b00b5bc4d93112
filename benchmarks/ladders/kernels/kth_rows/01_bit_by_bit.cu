// kernelwright: task=../../tasks/kth_rows.py entry=kth_rows args="x, out, x.shape[0], 2047"
// 32 rounds of counting, a bit of the answer each, the row read again every time
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned kb_order(float f) {
    unsigned u = __float_as_uint(f);
    return u >> 31 ? ~u : u | 0x80000000u;
}
__global__ void kb_bits(const float* x, float* out, int k) {
    __shared__ int count;
    const float* row = x + (size_t)blockIdx.x * 4096;
    unsigned have = 0;
    for (int bit = 31; bit >= 0; --bit) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        int c = 0;
        for (int i = threadIdx.x; i < 4096; i += 256) c += kb_order(row[i]) >> bit == have >> bit;
        atomicAdd(&count, c);
        __syncthreads();
        int zeros = count;
        __syncthreads();
        if (k >= zeros) {
            k -= zeros;
            have |= 1u << bit;
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = __uint_as_float(have >> 31 ? have & 0x7fffffffu : ~have);
}
extern "C" void kth_rows(const float* x, float* out, int rows, int k, cudaStream_t stream) {
    kb_bits<<<rows, 256, 0, stream>>>(x, out, k);
}
