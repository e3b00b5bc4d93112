// kernelwright: task=../../tasks/random_walk.py entry=random_walk args="seed, out, seed.shape[0]"
// steps from tables of four in shared memory, the torus at the end alone
#include <cuda_runtime.h>

__global__ void rw_tables(const unsigned* __restrict__ seed, int* __restrict__ out, int n) {
    __shared__ int dx[4], dy[4];
    if (threadIdx.x == 0) {
        dx[0] = 1; dx[1] = -1; dx[2] = dx[3] = 0;
        dy[2] = 1; dy[3] = -1; dy[0] = dy[1] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = seed[i];
    int x = 0, y = 0;
    for (int k = 0; k < 300; k++) {
        s = s * 747796405u + 2891336453u;
        unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
        w = ((w >> 22) ^ w) & 3;
        x += dx[w];
        y += dy[w];
    }
    out[i] = (y & 1023) * 1024 + (x & 1023);
}
extern "C" void random_walk(const unsigned* seed, int* out, int n, cudaStream_t stream) {
    rw_tables<<<(n + 255) / 256, 256, 0, stream>>>(seed, out, n);
}
