// kernelwright: task=../../tasks/fir.py entry=fir args="x, taps, out, x.shape[0], x.shape[1]"
// samples and taps in shared memory
#include <cuda_runtime.h>

__global__ void fi_shared(const float* x, const float* taps, float* out, int n) {
    __shared__ float s[288], w[33];
    int t = threadIdx.x, c0 = blockIdx.x * 256;
    const float* row = x + (size_t)blockIdx.y * n;
    for (int i = t; i < 288; i += 256) {
        int c = c0 + i - 16;
        s[i] = c >= 0 && c < n ? row[c] : 0.f;
    }
    if (t < 33) w[t] = taps[t];
    __syncthreads();
    float v = 0.f;
#pragma unroll
    for (int j = 0; j < 33; ++j) v += w[j] * s[t + j];
    out[(size_t)blockIdx.y * n + c0 + t] = v;
}
extern "C" void fir(const float* x, const float* taps, float* out, int rows, int n, cudaStream_t stream) {
    fi_shared<<<dim3(n / 256, rows), 256, 0, stream>>>(x, taps, out, n);
}
