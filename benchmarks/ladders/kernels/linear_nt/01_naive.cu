// kernelwright: task=../../tasks/linear_nt.py entry=linear_nt args="x, w, b, out, x.shape[0], w.shape[0], x.shape[1]"
// one output a thread, both rows walked in global memory
#include <cuda_runtime.h>

__global__ void linear_naive(const float* x, const float* w, const float* b, float* out, int M, int N, int K) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= M || n >= N) return;
    float acc = b[n];
    for (int k = 0; k < K; k++) acc += x[m * K + k] * w[n * K + k];
    out[m * N + n] = acc;
}
extern "C" void linear_nt(const float* x, const float* w, const float* b, float* out, int M, int N, int K, cudaStream_t stream) {
    dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
    linear_naive<<<grid, block, 0, stream>>>(x, w, b, out, M, N, K);
}
