// kernelwright: task=../../tasks/bmm_half.py entry=bmm_half args="a, b, out, a.shape[0], a.shape[1], b.shape[2], a.shape[2]"
// tiles of 16 x 16 halves, products in float, no tensor cores
#include <cuda_fp16.h>

__global__ void bmm_tile(const half* a, const half* b, half* out, int M, int N, int K) {
    __shared__ half as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * 16 + ty, n = blockIdx.x * 16 + tx;
    a += (size_t)blockIdx.z * M * K;
    b += (size_t)blockIdx.z * K * N;
    out += (size_t)blockIdx.z * M * N;
    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        as[ty][tx] = a[m * K + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * N + n];
        __syncthreads();
        for (int k = 0; k < 16; k++) acc += __half2float(as[ty][k]) * __half2float(bs[k][tx]);
        __syncthreads();
    }
    out[m * N + n] = __float2half(acc * 0.0883883461f);
}
extern "C" void bmm_half(const half* a, const half* b, half* out, int B, int M, int N, int K, cudaStream_t stream) {
    bmm_tile<<<dim3(N / 16, M / 16, B), dim3(16, 16), 0, stream>>>(a, b, out, M, N, K);
}
