// kernelwright: task=../../tasks/bmm_half.py entry=bmm_half args="a, b, out, a.shape[0], a.shape[1], b.shape[2], a.shape[2]"
// two neighbouring columns a thread in half2 registers, 4 rows: float sums
#include <cuda_fp16.h>

__global__ void bmm_half2(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ out, int M, int N, int K) {
    __shared__ half as[32][32];
    __shared__ half2 bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
    int m0 = blockIdx.y * 32, n0 = blockIdx.x * 64;
    a += (size_t)blockIdx.z * M * K;
    b += (size_t)blockIdx.z * K * N;
    out += (size_t)blockIdx.z * M * N;
    float2 acc[4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = t; i < 1024; i += 256) {
            as[i / 32][i % 32] = a[(m0 + i / 32) * K + k0 + i % 32];
            bs[i / 32][i % 32] = *(const half2*)&b[(k0 + i / 32) * N + n0 + (i % 32) * 2];
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            float2 v = __half22float2(bs[k][tx]);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float u = __half2float(as[ty * 4 + i][k]);
                acc[i].x += u * v.x;
                acc[i].y += u * v.y;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(half2*)&out[(m0 + ty * 4 + i) * N + n0 + tx * 2] = __floats2half2_rn(acc[i].x * 0.0883883461f, acc[i].y * 0.0883883461f);
}
extern "C" void bmm_half(const half* a, const half* b, half* out, int B, int M, int N, int K, cudaStream_t stream) {
    bmm_half2<<<dim3(N / 64, M / 32, B), dim3(32, 8), 0, stream>>>(a, b, out, M, N, K);
}
