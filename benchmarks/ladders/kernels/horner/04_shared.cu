// kernelwright: task=../../tasks/horner.py entry=horner args="x, c, out, x.numel()"
// coefficients in shared memory, a thread an element
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ho_shared(const float* x, const float* c, float* out, int n) {
    __shared__ float s[256];
    s[threadIdx.x] = c[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float v = x[i], y = 0.f;
#pragma unroll 8
    for (int k = 0; k < 256; ++k) y = y * v + s[k];
    out[i] = y;
}
extern "C" void horner(const float* x, const float* c, float* out, int n, cudaStream_t stream) {
    ho_shared<<<(n + 255) / 256, 256, 0, stream>>>(x, c, out, n);
}
