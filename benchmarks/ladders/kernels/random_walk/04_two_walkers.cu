// kernelwright: task=../../tasks/random_walk.py entry=random_walk args="seed, out, seed.shape[0]"
// two walkers a thread for two chains at once, blocks of 128
#include <cuda_runtime.h>

__device__ __forceinline__ void rw_step(unsigned& s, unsigned& place) {
    s = s * 747796405u + 2891336453u;
    unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    w = (w >> 22) ^ w;
    unsigned step = 1u << (w & 2) * 8;
    place += w & 1 ? -step : step;
}
__device__ __forceinline__ int rw_place(unsigned place) {
    int x = (short)(place & 0xffffu), y = (int)(place - x) >> 16;
    return (y & 1023) * 1024 + (x & 1023);
}
__global__ void __launch_bounds__(128) rw_two(const unsigned* __restrict__ seed, int* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, j = i + 128;
    unsigned s = i < n ? seed[i] : 0, t = j < n ? seed[j] : 0, p = 0, q = 0;
#pragma unroll 2
    for (int k = 0; k < 300; k++) {
        rw_step(s, p);
        rw_step(t, q);
    }
    if (i < n) out[i] = rw_place(p);
    if (j < n) out[j] = rw_place(q);
}
extern "C" void random_walk(const unsigned* seed, int* out, int n, cudaStream_t stream) {
    rw_two<<<(n + 255) / 256, 128, 0, stream>>>(seed, out, n);
}
