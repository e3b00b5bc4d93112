// kernelwright: task=../../tasks/xorshift_pi.py entry=pi_hits args="seed, out, seed.shape[0]"
// four independent generators a thread, the hit taken from the sign bit
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) xp_four(const int4* __restrict__ seed, int* __restrict__ out) {
    __shared__ int part[8];
    int t = threadIdx.x;
    int4 v = seed[blockIdx.x * 256 + t];
    unsigned s[4] = {(unsigned)v.x, (unsigned)v.y, (unsigned)v.z, (unsigned)v.w}, hits = 0;
#pragma unroll 4
    for (int i = 0; i < 256; ++i)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            s[k] ^= s[k] << 13;
            s[k] ^= s[k] >> 17;
            s[k] ^= s[k] << 5;
            unsigned x = s[k] & 0x7fff, y = s[k] >> 16 & 0x7fff;
            hits += (x * x + y * y - (1u << 30)) >> 31;
        }
    hits = __reduce_add_sync(~0u, hits);
    if (t % 32 == 0) part[t / 32] = hits;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 8; ++i) sum += part[i];
        out[blockIdx.x] = sum;
    }
}
extern "C" void pi_hits(const int* seed, int* out, int n, cudaStream_t stream) {
    xp_four<<<n / 1024, 256, 0, stream>>>((const int4*)seed, out);
}
