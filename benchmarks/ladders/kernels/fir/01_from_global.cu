// kernelwright: task=../../tasks/fir.py entry=fir args="x, taps, out, x.shape[0], x.shape[1]"
// taps and samples from global memory
#include <cuda_runtime.h>

__global__ void fi_plain(const float* x, const float* taps, float* out, int n) {
    int c = blockIdx.x * 256 + threadIdx.x;
    const float* row = x + (size_t)blockIdx.y * n;
    float s = 0.f;
    for (int j = 0; j < 33; ++j) {
        int i = c + j - 16;
        if (i >= 0 && i < n) s += taps[j] * row[i];
    }
    out[(size_t)blockIdx.y * n + c] = s;
}
extern "C" void fir(const float* x, const float* taps, float* out, int rows, int n, cudaStream_t stream) {
    fi_plain<<<dim3(n / 256, rows), 256, 0, stream>>>(x, taps, out, n);
}
