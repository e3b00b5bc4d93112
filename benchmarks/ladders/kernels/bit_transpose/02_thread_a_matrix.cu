// kernelwright: task=../../tasks/bit_transpose.py entry=bit_transpose args="x, out, x.shape[0]"
// a thread a matrix in 32 registers, swaps of halves, quarters and so on; words read and written with strides
#include <cuda_runtime.h>

__global__ void bt_thread(const unsigned* __restrict__ x, unsigned* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a[32];
#pragma unroll
    for (int k = 0; k < 32; k++) a[k] = x[(size_t)i * 32 + k];
    unsigned m = 0x0000ffffu;
#pragma unroll
    for (int j = 16; j; j >>= 1, m ^= m << j) {
#pragma unroll
        for (int k = 0; k < 32; k++)
            if (!(k & j)) {
                unsigned t = (a[k] >> j ^ a[k + j]) & m;
                a[k + j] ^= t;
                a[k] ^= t << j;
            }
    }
#pragma unroll
    for (int k = 0; k < 32; k++) out[(size_t)i * 32 + k] = a[k];
}
extern "C" void bit_transpose(const unsigned* x, unsigned* out, int n, cudaStream_t stream) {
    bt_thread<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}
