// kernelwright: task=../../tasks/bit_transpose.py entry=bit_transpose args="x, out, x.shape[0]"
// a warp a matrix, five rounds of masked swaps by shuffles
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned bt_round(unsigned v, int j, unsigned m, int lane) {
    unsigned o = __shfl_xor_sync(0xffffffffu, v, j);
    return lane & j ? (v & ~m) | (o >> j & m) : (v & m) | (o << j & ~m);
}
__global__ void bt_swap(const unsigned* __restrict__ x, unsigned* __restrict__ out, int n) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (w >= n) return;
    unsigned v = x[(size_t)w * 32 + lane];
    v = bt_round(v, 16, 0x0000ffffu, lane);
    v = bt_round(v, 8, 0x00ff00ffu, lane);
    v = bt_round(v, 4, 0x0f0f0f0fu, lane);
    v = bt_round(v, 2, 0x33333333u, lane);
    v = bt_round(v, 1, 0x55555555u, lane);
    out[(size_t)w * 32 + lane] = v;
}
extern "C" void bit_transpose(const unsigned* x, unsigned* out, int n, cudaStream_t stream) {
    bt_swap<<<(n + 7) / 8, 256, 0, stream>>>(x, out, n);
}
