// kernelwright: task=../../tasks/unpack_bits.py entry=unpack args="x, base, out, x.shape[0]"
// a warp a frame: eleven lanes load the words, the others get them by shuffles; four frames a warp
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) u3_warp(const int* __restrict__ x, const int* __restrict__ base, int* __restrict__ out, int frames) {
    int lane = threadIdx.x % 32, g0 = (blockIdx.x * 8 + threadIdx.x / 32) * 4, at = lane * 11, word = at / 32;
    if (g0 >= frames) return;
    int w0 = x[g0 * 11 + lane], w1 = lane < 12 ? x[g0 * 11 + 32 + lane] : 0, b = lane < 4 ? base[g0 + lane] : 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int from = k * 11 + word, next = k * 11 + min(word + 1, 10);
        unsigned lo0 = __shfl_sync(~0u, w0, from & 31), lo1 = __shfl_sync(~0u, w1, from & 31);
        unsigned hi0 = __shfl_sync(~0u, w0, next & 31), hi1 = __shfl_sync(~0u, w1, next & 31);
        unsigned v = __funnelshift_r(from < 32 ? lo0 : lo1, next < 32 ? hi0 : hi1, at % 32) & 2047;
        out[(g0 + k) * 32 + lane] = __shfl_sync(~0u, b, k) + (int)v;
    }
}
extern "C" void unpack(const int* x, const int* base, int* out, int frames, cudaStream_t stream) {
    u3_warp<<<(frames + 31) / 32, 256, 0, stream>>>(x, base, out, frames);
}
