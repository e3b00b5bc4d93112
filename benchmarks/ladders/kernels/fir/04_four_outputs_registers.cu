// kernelwright: task=../../tasks/fir.py entry=fir args="x, taps, out, x.shape[0], x.shape[1]"
// four outputs a thread from a window in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fi_four(const float* x, const float* taps, float* out, int n) {
    __shared__ __align__(16) float s[1056];
    __shared__ float w[33];
    int t = threadIdx.x, c0 = blockIdx.x * 1024;
    const float* row = x + (size_t)blockIdx.y * n;
    for (int i = t; i < 1056; i += 256) {
        int c = c0 + i - 16;
        s[i] = c >= 0 && c < n ? row[c] : 0.f;
    }
    if (t < 33) w[t] = taps[t];
    __syncthreads();
    float v[4] = {}, q[36];
#pragma unroll
    for (int i = 0; i < 9; ++i) *(float4*)&q[4 * i] = *(const float4*)&s[4 * (t + i)];
#pragma unroll
    for (int j = 0; j < 33; ++j)
#pragma unroll
        for (int i = 0; i < 4; ++i) v[i] += w[j] * q[i + j];
    *(float4*)&out[(size_t)blockIdx.y * n + c0 + 4 * t] = make_float4(v[0], v[1], v[2], v[3]);
}
extern "C" void fir(const float* x, const float* taps, float* out, int rows, int n, cudaStream_t stream) {
    fi_four<<<dim3(n / 1024, rows), 256, 0, stream>>>(x, taps, out, n);
}
