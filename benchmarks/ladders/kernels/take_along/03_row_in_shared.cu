// kernelwright: task=../../tasks/take_along.py entry=take_along args="x, index, out, x.shape[0], x.shape[1], index.shape[1]"
// the row is brought into shared memory by words of four bytes first: all of it, though not all is asked for; an even D
#include <cuda_fp16.h>

__global__ void ta_shared(const half* __restrict__ x, const long long* __restrict__ index, half* __restrict__ out, int D, int K) {
    extern __shared__ half2 row[];
    const half2* from = (const half2*)(x + (size_t)blockIdx.x * D);
    const long long* at = index + (size_t)blockIdx.x * K;
    for (int i = threadIdx.x; i < D / 2; i += 128) row[i] = from[i];
    __syncthreads();
    for (int k = threadIdx.x; k < K; k += 128) out[(size_t)blockIdx.x * K + k] = ((half*)row)[(int)at[k]];
}
extern "C" void take_along(const half* x, const long long* index, half* out, int R, int D, int K, cudaStream_t stream) {
    ta_shared<<<R, 128, D * sizeof(half), stream>>>(x, index, out, D, K);
}
