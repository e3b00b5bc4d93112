// kernelwright: task=../../tasks/fir.py entry=fir args="x, taps, out, x.shape[0], x.shape[1]"
// taps in constant memory, the loop unrolled
#include <cuda_runtime.h>

__constant__ float coefficient[33];
__global__ void fi_constant(const float* x, float* out, int n) {
    int c = blockIdx.x * 256 + threadIdx.x;
    const float* row = x + (size_t)blockIdx.y * n;
    float s = 0.f;
#pragma unroll
    for (int j = 0; j < 33; ++j) {
        int i = c + j - 16;
        if (i >= 0 && i < n) s += coefficient[j] * row[i];
    }
    out[(size_t)blockIdx.y * n + c] = s;
}
extern "C" void fir(const float* x, const float* taps, float* out, int rows, int n, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(coefficient, taps, sizeof coefficient, 0, cudaMemcpyDeviceToDevice, stream);
    fi_constant<<<dim3(n / 256, rows), 256, 0, stream>>>(x, out, n);
}
