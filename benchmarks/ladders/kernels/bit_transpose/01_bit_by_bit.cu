// kernelwright: task=../../tasks/bit_transpose.py entry=bit_transpose args="x, out, x.shape[0]"
// a thread a word of the result, which asks all 32 words for a bit
#include <cuda_runtime.h>

__global__ void bt_bits(const unsigned* x, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * 32) return;
    const unsigned* m = x + i / 32 * 32;
    int j = i % 32;
    unsigned w = 0;
    for (int k = 0; k < 32; k++) w |= (m[k] >> j & 1u) << k;
    out[i] = w;
}
extern "C" void bit_transpose(const unsigned* x, unsigned* out, int n, cudaStream_t stream) {
    bt_bits<<<(n * 32 + 255) / 256, 256, 0, stream>>>(x, out, n);
}
