// kernelwright: task=../../tasks/gemm_groupnorm_hardtanh.py entry=forward args="x, weight, bias, gamma, beta, out, x.shape[0], x.shape[1], weight.shape[0]"
// the product in shared memory tiles of 32 x 32; the norm by two warps with shuffles
#include <cuda_runtime.h>

#define TILE 32

__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ y, int M, int K, int N) {
    __shared__ float xs[TILE][TILE];
    __shared__ float ws[TILE][TILE + 1];
    int n = blockIdx.x * TILE + threadIdx.x;
    int m = blockIdx.y * TILE + threadIdx.y;
    int wn = blockIdx.x * TILE + threadIdx.y;
    float sum = 0.f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        int k = k0 + threadIdx.x;
        xs[threadIdx.y][threadIdx.x] = (m < M && k < K) ? x[m * K + k] : 0.f;
        ws[threadIdx.y][threadIdx.x] = (wn < N && k < K) ? w[wn * K + k] : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) sum += xs[threadIdx.y][i] * ws[threadIdx.x][i];
        __syncthreads();
    }
    if (m < M && n < N) y[m * N + n] = sum + b[n];
}

__global__ void group_norm_kernel(float* y, const float* gamma, const float* beta, int N, int groups) {
    int g = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (g >= groups) return;
    float* p = y + g * 64;
    float a = p[lane], b = p[lane + 32];
    float s = a + b;
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
    float mean = s / 64.f;
    float q = (a - mean) * (a - mean) + (b - mean) * (b - mean);
    for (int o = 16; o; o /= 2) q += __shfl_xor_sync(0xffffffff, q, o);
    float inv = rsqrtf(q / 64.f + 1e-5f);
    int c = g * 64 % N + lane;
    p[lane] = fminf(fmaxf((a - mean) * inv * gamma[c] + beta[c], -2.f), 2.f);
    p[lane + 32] = fminf(fmaxf((b - mean) * inv * gamma[c + 32] + beta[c + 32], -2.f), 2.f);
}

extern "C" void forward(const float* x, const float* weight, const float* bias, const float* gamma, const float* beta, float* out, int M, int K, int N, cudaStream_t stream) {
    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    linear_kernel<<<grid, block, 0, stream>>>(x, weight, bias, out, M, K, N);
    int groups = M * N / 64;
    group_norm_kernel<<<(groups + 7) / 8, 256, 0, stream>>>(out, gamma, beta, N, groups);
}
