// kernelwright: task=../../tasks/unpack_bits.py entry=unpack args="x, base, out, x.shape[0]"
// 32 frames a block through shared memory, four numbers a thread and one int4 a store
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) u4_block(const int4* __restrict__ x, const int* __restrict__ base, int4* __restrict__ out) {
    __shared__ __align__(16) unsigned s[32 * 11 + 4];
    int t = threadIdx.x, g = t / 8;
    if (t < 88) ((int4*)s)[t] = x[blockIdx.x * 88 + t];
    if (t < 4) s[32 * 11 + t] = 0;  // the last number asks for a word beyond the last frame, though for no bit of it
    int b = base[blockIdx.x * 32 + g];
    __syncthreads();
    int at = t % 8 * 44, word = g * 11 + at / 32, shift = at % 32;
    unsigned w0 = s[word], w1 = s[word + 1], w2 = s[word + 2], v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int bit = shift + k * 11;
        v[k] = (bit < 32 ? __funnelshift_r(w0, w1, bit) : __funnelshift_r(w1, w2, bit - 32)) & 2047;
    }
    out[blockIdx.x * 256 + t] = make_int4(b + v[0], b + v[1], b + v[2], b + v[3]);
}
extern "C" void unpack(const int* x, const int* base, int* out, int frames, cudaStream_t stream) {
    u4_block<<<frames / 32, 256, 0, stream>>>((const int4*)x, base, (int4*)out);
}
