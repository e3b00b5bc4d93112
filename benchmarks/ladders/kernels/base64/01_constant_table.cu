// kernelwright: task=../../tasks/base64.py entry=encode args="x, out, x.shape[0] // 3"
// three bytes a thread, letters from constant memory: lanes differ and take turns
#include <cuda_runtime.h>

__constant__ unsigned char b6_letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__global__ void b6_constant(const unsigned char* x, unsigned char* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    int v = x[3 * i] << 16 | x[3 * i + 1] << 8 | x[3 * i + 2];
    out[4 * i] = b6_letters[v >> 18];
    out[4 * i + 1] = b6_letters[v >> 12 & 63];
    out[4 * i + 2] = b6_letters[v >> 6 & 63];
    out[4 * i + 3] = b6_letters[v & 63];
}
extern "C" void encode(const unsigned char* x, unsigned char* out, int n, cudaStream_t stream) {
    b6_constant<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
