// kernelwright: task=../../tasks/horner.py entry=horner args="x, c, out, x.numel()"
// floats, coefficients from global memory
#include <cuda_runtime.h>

__global__ void ho_global(const float* x, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], y = 0.f;
    for (int k = 0; k < 256; ++k) y = y * v + c[k];
    out[i] = y;
}
extern "C" void horner(const float* x, const float* c, float* out, int n, cudaStream_t stream) {
    ho_global<<<(n + 255) / 256, 256, 0, stream>>>(x, c, out, n);
}
