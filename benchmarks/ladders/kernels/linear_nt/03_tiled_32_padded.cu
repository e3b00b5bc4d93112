// kernelwright: task=../../tasks/linear_nt.py entry=linear_nt args="x, w, b, out, x.shape[0], w.shape[0], x.shape[1]"
// as before, tiles padded by one column
#include <cuda_runtime.h>
#define TILE 32

__global__ void linear_padded(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ out, int M, int N, int K) {
    __shared__ float xs[TILE][TILE + 1];
    __shared__ float ws[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * TILE + ty, n = blockIdx.x * TILE + tx, wn = blockIdx.x * TILE + ty;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        int k = k0 + tx;
        xs[ty][tx] = (m < M && k < K) ? x[m * K + k] : 0.0f;
        ws[ty][tx] = (wn < N && k < K) ? w[wn * K + k] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) acc += xs[ty][i] * ws[tx][i];
        __syncthreads();
    }
    if (m < M && n < N) out[m * N + n] = acc + b[n];
}
extern "C" void linear_nt(const float* x, const float* w, const float* b, float* out, int M, int N, int K, cudaStream_t stream) {
    dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    linear_padded<<<grid, block, 0, stream>>>(x, w, b, out, M, N, K);
}
