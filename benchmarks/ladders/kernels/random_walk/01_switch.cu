// kernelwright: task=../../tasks/random_walk.py entry=random_walk args="seed, out, seed.shape[0]"
// a switch over the direction, places kept on the torus by remainders at each step
#include <cuda_runtime.h>

__global__ void rw_switch(const unsigned* seed, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = seed[i];
    int x = 0, y = 0;
    for (int k = 0; k < 300; k++) {
        s = s * 747796405u + 2891336453u;
        unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        w = (w >> 22) ^ w;
        switch (w & 3) {
            case 0: x = (x + 1) % 1024; break;
            case 1: x = (x + 1023) % 1024; break;
            case 2: y = (y + 1) % 1024; break;
            default: y = (y + 1023) % 1024; break;
        }
    }
    out[i] = y * 1024 + x;
}
extern "C" void random_walk(const unsigned* seed, int* out, int n, cudaStream_t stream) {
    rw_switch<<<(n + 255) / 256, 256, 0, stream>>>(seed, out, n);
}
