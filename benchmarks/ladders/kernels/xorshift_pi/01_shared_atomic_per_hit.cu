// kernelwright: task=../../tasks/xorshift_pi.py entry=pi_hits args="seed, out, seed.shape[0]"
// every hit an atomic on one counter in shared memory
#include <cuda_runtime.h>

__global__ void xp_atomic(const int* seed, int* out) {
    __shared__ int hits;
    if (threadIdx.x == 0) hits = 0;
    __syncthreads();
    unsigned s = seed[blockIdx.x * 1024 + threadIdx.x];
    for (int i = 0; i < 256; ++i) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        unsigned x = s & 0x7fff, y = s >> 16 & 0x7fff;
        if (x * x + y * y < 1u << 30) atomicAdd(&hits, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = hits;
}
extern "C" void pi_hits(const int* seed, int* out, int n, cudaStream_t stream) {
    xp_atomic<<<n / 1024, 1024, 0, stream>>>(seed, out);
}
