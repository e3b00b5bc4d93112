// kernelwright: task=../../tasks/gemm_groupnorm_hardtanh.py entry=forward args="x, weight, bias, gamma, beta, out, x.shape[0], x.shape[1], weight.shape[0]"
// one thread per output, then one block of 64 threads per (row, group)
#include <cuda_runtime.h>

__global__ void linear_kernel(const float* x, const float* w, const float* b, float* y, int M, int K, int N) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        float sum = b[n];
        for (int k = 0; k < K; ++k) sum += x[m * K + k] * w[n * K + k];
        y[m * N + n] = sum;
    }
}

__global__ void group_norm_kernel(float* y, const float* gamma, const float* beta, int N) {
    __shared__ float s[64];
    int i = blockIdx.y * N + blockIdx.x * 64 + threadIdx.x;
    float v = y[i];
    s[threadIdx.x] = v;
    __syncthreads();
    float mean = 0.f;
    for (int k = 0; k < 64; ++k) mean += s[k];
    mean /= 64.f;
    float var = 0.f;
    for (int k = 0; k < 64; ++k) var += (s[k] - mean) * (s[k] - mean);
    var /= 64.f;
    int c = blockIdx.x * 64 + threadIdx.x;
    float o = (v - mean) / sqrtf(var + 1e-5f) * gamma[c] + beta[c];
    y[i] = fminf(fmaxf(o, -2.f), 2.f);
}

extern "C" void forward(const float* x, const float* weight, const float* bias, const float* gamma, const float* beta, float* out, int M, int K, int N, cudaStream_t stream) {
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);
    linear_kernel<<<grid, block, 0, stream>>>(x, weight, bias, out, M, K, N);
    group_norm_kernel<<<dim3(N / 64, M), 64, 0, stream>>>(out, gamma, beta, N);
}
