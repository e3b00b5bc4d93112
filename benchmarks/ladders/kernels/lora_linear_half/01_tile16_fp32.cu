// kernelwright: task=../../tasks/lora_linear_half.py entry=lora_linear args="x, w, a, b, out, x.shape[0], x.shape[1], w.shape[0]"
// shared memory tiles of 16x16, adapter by a first launch into a device buffer (float)
#include <cuda_fp16.h>

__device__ float g_down[4096 * 16];

__global__ void lora_down(const half* x, const half* a, int T, int K) {
    int t = blockIdx.x, r = threadIdx.x;
    float s = 0.f;
    for (int k = 0; k < K; k++) s += __half2float(x[t * K + k]) * __half2float(a[r * K + k]);
    g_down[t * 16 + r] = s;
}

__global__ void lora_main(const half* x, const half* w, const half* b, half* out, int T, int K, int N) {
    __shared__ float xs[16][16];
    __shared__ float ws[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += 16) {
        int k = k0 + threadIdx.x, wr = blockIdx.x * 16 + threadIdx.y;
        xs[threadIdx.y][threadIdx.x] = row < T && k < K ? __half2float(x[row * K + k]) : 0.f;
        ws[threadIdx.y][threadIdx.x] = wr < N && k < K ? __half2float(w[wr * K + k]) : 0.f;
        __syncthreads();
        for (int i = 0; i < 16; i++) acc += xs[threadIdx.y][i] * ws[threadIdx.x][i];
        __syncthreads();
    }
    if (row < T && col < N) {
        float up = 0.f;
        for (int r = 0; r < 16; r++) up += g_down[row * 16 + r] * __half2float(b[col * 16 + r]);
        out[row * N + col] = __float2half(acc + 2.f * up);
    }
}

extern "C" void lora_linear(const half* x, const half* w, const half* a, const half* b, half* out, int T, int K, int N, cudaStream_t stream) {
    lora_down<<<T, 16, 0, stream>>>(x, a, T, K);
    lora_main<<<dim3((N + 15) / 16, (T + 15) / 16), dim3(16, 16), 0, stream>>>(x, w, b, out, T, K, N);
}
