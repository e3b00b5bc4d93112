// kernelwright: task=../../tasks/take_along.py entry=take_along args="x, index, out, x.shape[0], x.shape[1], index.shape[1]"
// a block of 128 a row, no division
#include <cuda_fp16.h>

__global__ void ta_row(const half* __restrict__ x, const long long* __restrict__ index, half* __restrict__ out, int D, int K) {
    const half* row = x + (size_t)blockIdx.x * D;
    const long long* at = index + (size_t)blockIdx.x * K;
    for (int k = threadIdx.x; k < K; k += 128) out[(size_t)blockIdx.x * K + k] = row[(int)at[k]];
}
extern "C" void take_along(const half* x, const long long* index, half* out, int R, int D, int K, cudaStream_t stream) {
    ta_row<<<R, 128, 0, stream>>>(x, index, out, D, K);
}
