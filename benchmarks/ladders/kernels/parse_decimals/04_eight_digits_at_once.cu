// kernelwright: task=../../tasks/parse_decimals.py entry=parse args="x, out, x.shape[0] // 9"
// eight digits at once in two words: pairs, then fours, by multiplications within the words
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned pd_four(unsigned w) {
    w -= 0x30303030u;
    w = (w * 10 + (w >> 8)) & 0x00ff00ffu;
    return (w * 100 + (w >> 16)) & 0xffffu;
}
__global__ void __launch_bounds__(256) pd_words(const unsigned char* __restrict__ x, int* __restrict__ out, int n) {
    __shared__ __align__(16) unsigned text[256 * 9 / 4 + 1];
    int i0 = blockIdx.x * 256, bytes = min(256, n - i0) * 9;
    const unsigned* from = (const unsigned*)(x + (size_t)i0 * 9);
    for (int k = threadIdx.x; k < bytes / 4; k += 256) text[k] = from[k];
    for (int k = bytes / 4 * 4 + threadIdx.x; k < bytes; k += 256) ((unsigned char*)text)[k] = x[(size_t)i0 * 9 + k];
    __syncthreads();
    if (i0 + threadIdx.x >= n) return;
    int at = 9 * threadIdx.x, shift = at % 4 * 8;
    const unsigned* w = text + at / 4;
    unsigned a = w[0], b = w[1], c = shift ? w[2] : 0u;
    unsigned high = __funnelshift_r(a, b, shift), low = __funnelshift_r(b, c, shift);
    out[i0 + threadIdx.x] = pd_four(high) * 10000u + pd_four(low);
}
extern "C" void parse(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    pd_words<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
