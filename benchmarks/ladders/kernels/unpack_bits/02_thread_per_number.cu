// kernelwright: task=../../tasks/unpack_bits.py entry=unpack args="x, base, out, x.shape[0]"
// a thread a number, two loads of words each
#include <cuda_runtime.h>

__global__ void u2_number(const int* __restrict__ x, const int* __restrict__ base, int* __restrict__ out, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int g = i / 32, at = i % 32 * 11, word = at / 32;
    unsigned lo = x[g * 11 + word], hi = x[g * 11 + min(word + 1, 10)];
    out[i] = base[g] + (int)(__funnelshift_r(lo, hi, at % 32) & 2047);
}
extern "C" void unpack(const int* x, const int* base, int* out, int frames, cudaStream_t stream) {
    u2_number<<<frames * 32 / 256, 256, 0, stream>>>(x, base, out, frames * 32);
}
