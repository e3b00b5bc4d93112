// kernelwright: task=../../tasks/take_along.py entry=take_along args="x, index, out, x.shape[0], x.shape[1], index.shape[1]"
// a thread a result, the row by a division of 64 bits
#include <cuda_fp16.h>

__global__ void ta_flat(const half* x, const long long* index, half* out, long long n, long long D, long long K) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = x[i / K * D + index[i]];
}
extern "C" void take_along(const half* x, const long long* index, half* out, int R, int D, int K, cudaStream_t stream) {
    long long n = (long long)R * K;
    ta_flat<<<(n + 255) / 256, 256, 0, stream>>>(x, index, out, n, D, K);
}
