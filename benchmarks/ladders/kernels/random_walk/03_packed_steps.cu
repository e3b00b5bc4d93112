// kernelwright: task=../../tasks/random_walk.py entry=random_walk args="seed, out, seed.shape[0]"
// both places in one word; a step is picked from a constant of 64 bits, four steps unrolled
#include <cuda_runtime.h>

__global__ void rw_packed(const unsigned* __restrict__ seed, int* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = seed[i], place = 0;
#pragma unroll 4
    for (int k = 0; k < 300; k++) {
        s = s * 747796405u + 2891336453u;
        unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        w = (w >> 22) ^ w;
        unsigned step = w & 2 ? 0x10000u : 1u;
        place += w & 1 ? -step : step;
    }
    // a borrow from the low half is undone before the halves are taken
    int x = (short)(place & 0xffffu), y = (int)(place - x) >> 16;
    out[i] = (y & 1023) * 1024 + (x & 1023);
}
extern "C" void random_walk(const unsigned* seed, int* out, int n, cudaStream_t stream) {
    rw_packed<<<(n + 255) / 256, 256, 0, stream>>>(seed, out, n);
}
