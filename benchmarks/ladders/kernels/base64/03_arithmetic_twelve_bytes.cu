// kernelwright: task=../../tasks/base64.py entry=encode args="x, out, x.shape[0] // 12"
// twelve bytes to sixteen a thread, letters by comparison instead of a table
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned b6_letter(unsigned v) {
    unsigned c = v + 65;
    if (v > 25) c += 6;
    if (v > 51) c -= 75;
    if (v > 61) c -= 15;
    if (v > 62) c += 3;
    return c;
}
__device__ __forceinline__ unsigned b6_word(unsigned v) {
    return b6_letter(v >> 18 & 63) | b6_letter(v >> 12 & 63) << 8 | b6_letter(v >> 6 & 63) << 16 | b6_letter(v & 63) << 24;
}
__global__ void __launch_bounds__(256) b6_arithmetic(const unsigned* __restrict__ x, uint4* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    unsigned a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    out[i] = make_uint4(b6_word(__byte_perm(a, b, 0x3012)), b6_word(__byte_perm(a, b, 0x0345)), b6_word(__byte_perm(b, c, 0x0234)), b6_word(__byte_perm(c, 0, 0x0123)));
}
extern "C" void encode(const unsigned char* x, unsigned char* out, int n, cudaStream_t stream) {
    b6_arithmetic<<<(n + 255) / 256, 256, 0, stream>>>((const unsigned*)x, (uint4*)out, n);
}
