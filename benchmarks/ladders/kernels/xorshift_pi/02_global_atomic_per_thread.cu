// kernelwright: task=../../tasks/xorshift_pi.py entry=pi_hits args="seed, out, seed.shape[0]"
// hits counted in a register, one atomic a thread on the result
#include <cuda_runtime.h>

__global__ void xp_thread(const int* seed, int* out) {
    int t = blockIdx.x * 256 + threadIdx.x, hits = 0;
    unsigned s = seed[t];
    for (int i = 0; i < 256; ++i) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        unsigned x = s & 0x7fff, y = s >> 16 & 0x7fff;
        hits += x * x + y * y < 1u << 30;
    }
    atomicAdd(out + t / 1024, hits);
}
extern "C" void pi_hits(const int* seed, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)n / 1024 * 4, stream);
    xp_thread<<<n / 256, 256, 0, stream>>>(seed, out);
}
