// kernelwright: task=../../tasks/bit_transpose.py entry=bit_transpose args="x, out, x.shape[0]"
// a warp a matrix, 32 ballots
#include <cuda_runtime.h>

__global__ void bt_ballot(const unsigned* __restrict__ x, unsigned* __restrict__ out, int n) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (w >= n) return;
    unsigned v = x[(size_t)w * 32 + lane], r = 0;
#pragma unroll
    for (int j = 0; j < 32; j++) {
        unsigned b = __ballot_sync(0xffffffffu, v >> j & 1u);
        if (lane == j) r = b;
    }
    out[(size_t)w * 32 + lane] = r;
}
extern "C" void bit_transpose(const unsigned* x, unsigned* out, int n, cudaStream_t stream) {
    bt_ballot<<<(n + 7) / 8, 256, 0, stream>>>(x, out, n);
}
