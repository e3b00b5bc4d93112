// kernelwright: task=../../tasks/rgb_grey.py entry=grey args="x, out, x.shape[0]"
// four pixels a thread: three words read, one written
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) rg_words(const unsigned* __restrict__ x, unsigned* __restrict__ out, int n4) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    unsigned a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    unsigned p = (77 * (a & 255) + 150 * (a >> 8 & 255) + 29 * (a >> 16 & 255) + 128) >> 8;
    unsigned q = (77 * (a >> 24) + 150 * (b & 255) + 29 * (b >> 8 & 255) + 128) >> 8;
    unsigned r = (77 * (b >> 16 & 255) + 150 * (b >> 24) + 29 * (c & 255) + 128) >> 8;
    unsigned s = (77 * (c >> 8 & 255) + 150 * (c >> 16 & 255) + 29 * (c >> 24) + 128) >> 8;
    out[i] = p | q << 8 | r << 16 | s << 24;
}
extern "C" void grey(const unsigned char* x, unsigned char* out, int n, cudaStream_t stream) {
    rg_words<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const unsigned*)x, (unsigned*)out, n / 4);
}
