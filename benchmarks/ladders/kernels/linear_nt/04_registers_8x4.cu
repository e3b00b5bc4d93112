// kernelwright: task=../../tasks/linear_nt.py entry=linear_nt args="x, w, b, out, x.shape[0], w.shape[0], x.shape[1]"
// 64 x 64 outputs a block of 128 threads, 8 x 4 a thread, tiles stored transposed
#include <cuda_runtime.h>
constexpr int BM = 64, BN = 64, BK = 16;

__global__ void linear_registers(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ out, int M, int N, int K) {
    __shared__ float xs[BK][BM + 1];
    __shared__ float ws[BK][BN + 1];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    float acc[8][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += 128) {
            int r = i / BK, k = i % BK;
            xs[k][r] = (m0 + r < M && k0 + k < K) ? x[(m0 + r) * K + k0 + k] : 0.0f;
            ws[k][r] = (n0 + r < N && k0 + k < K) ? w[(n0 + r) * K + k0 + k] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float xr[8], wr[4];
#pragma unroll
            for (int i = 0; i < 8; i++) xr[i] = xs[k][ty + 8 * i];
#pragma unroll
            for (int j = 0; j < 4; j++) wr[j] = ws[k][tx + 16 * j];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += xr[i] * wr[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) {
            int m = m0 + ty + 8 * i, n = n0 + tx + 16 * j;
            if (m < M && n < N) out[m * N + n] = acc[i][j] + b[n];
        }
}
extern "C" void linear_nt(const float* x, const float* w, const float* b, float* out, int M, int N, int K, cudaStream_t stream) {
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    linear_registers<<<grid, 128, 0, stream>>>(x, w, b, out, M, N, K);
}
