// kernelwright: task=../../tasks/base64.py entry=encode args="x, out, x.shape[0] // 3"
// three bytes a thread, letters from shared memory, one word stored
#include <cuda_runtime.h>

__constant__ unsigned char b6_source[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__global__ void __launch_bounds__(256) b6_shared(const unsigned char* __restrict__ x, uchar4* __restrict__ out, int n) {
    __shared__ unsigned char letters[64];
    if (threadIdx.x < 64) letters[threadIdx.x] = b6_source[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    int v = x[3 * i] << 16 | x[3 * i + 1] << 8 | x[3 * i + 2];
    out[i] = make_uchar4(letters[v >> 18], letters[v >> 12 & 63], letters[v >> 6 & 63], letters[v & 63]);
}
extern "C" void encode(const unsigned char* x, unsigned char* out, int n, cudaStream_t stream) {
    b6_shared<<<(n + 255) / 256, 256, 0, stream>>>(x, (uchar4*)out, n);
}
