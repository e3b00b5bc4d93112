// kernelwright: task=../../tasks/parse_decimals.py entry=parse args="x, out, x.shape[0] // 9"
// 256 lines a block staged in shared memory by words, digits from there
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) pd_staged(const unsigned char* __restrict__ x, int* __restrict__ out, int n) {
    __shared__ __align__(16) unsigned char text[256 * 9];
    int i0 = blockIdx.x * 256, bytes = min(256, n - i0) * 9;
    const unsigned* from = (const unsigned*)(x + (size_t)i0 * 9);
    for (int k = threadIdx.x; k < bytes / 4; k += 256) ((unsigned*)text)[k] = from[k];
    for (int k = bytes / 4 * 4 + threadIdx.x; k < bytes; k += 256) text[k] = x[(size_t)i0 * 9 + k];
    __syncthreads();
    if (i0 + threadIdx.x >= n) return;
    int v = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) v = v * 10 + (text[9 * threadIdx.x + k] - '0');
    out[i0 + threadIdx.x] = v;
}
extern "C" void parse(const unsigned char* x, int* out, int n, cudaStream_t stream) {
    pd_staged<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
