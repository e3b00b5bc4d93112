// kernelwright: task=../../tasks/horner.py entry=horner args="x, c, out, x.numel()"
// coefficients in shared memory, two blocks of 128 a processor
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ho_few(const float* x, const float* c, float* out, int n) {
    __shared__ float s[256];
    for (int k = threadIdx.x; k < 256; k += 128) s[k] = c[k];
    __syncthreads();
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        float v = x[i], y = 0.f;
#pragma unroll 8
        for (int k = 0; k < 256; ++k) y = y * v + s[k];
        out[i] = y;
    }
}
extern "C" void horner(const float* x, const float* c, float* out, int n, cudaStream_t stream) {
    ho_few<<<264, 128, 0, stream>>>(x, c, out, n);
}
