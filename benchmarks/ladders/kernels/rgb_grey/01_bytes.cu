// kernelwright: task=../../tasks/rgb_grey.py entry=grey args="x, out, x.shape[0]"
// a thread a pixel, three bytes read and one written
#include <cuda_runtime.h>

__global__ void rg_bytes(const unsigned char* x, unsigned char* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = (77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2] + 128) >> 8;
}
extern "C" void grey(const unsigned char* x, unsigned char* out, int n, cudaStream_t stream) {
    rg_bytes<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
