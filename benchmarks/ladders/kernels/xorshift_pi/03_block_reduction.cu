// kernelwright: task=../../tasks/xorshift_pi.py entry=pi_hits args="seed, out, seed.shape[0]"
// a block of 1024, warps reduced by one instruction
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) xp_block(const int* __restrict__ seed, int* __restrict__ out) {
    __shared__ int part[32];
    int t = threadIdx.x, hits = 0;
    unsigned s = seed[blockIdx.x * 1024 + t];
#pragma unroll 8
    for (int i = 0; i < 256; ++i) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        unsigned x = s & 0x7fff, y = s >> 16 & 0x7fff;
        hits += x * x + y * y < 1u << 30;
    }
    hits = __reduce_add_sync(~0u, hits);
    if (t % 32 == 0) part[t / 32] = hits;
    __syncthreads();
    if (t < 32) {
        hits = __reduce_add_sync(~0u, part[t]);
        if (t == 0) out[blockIdx.x] = hits;
    }
}
extern "C" void pi_hits(const int* seed, int* out, int n, cudaStream_t stream) {
    xp_block<<<n / 1024, 1024, 0, stream>>>(seed, out);
}
