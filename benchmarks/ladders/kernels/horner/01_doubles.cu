// kernelwright: task=../../tasks/horner.py entry=horner args="x, c, out, x.numel()"
// double precision
#include <cuda_runtime.h>

__global__ void ho_double(const float* x, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], y = 0.0;
    for (int k = 0; k < 256; ++k) y = y * v + c[k];
    out[i] = (float)y;
}
extern "C" void horner(const float* x, const float* c, float* out, int n, cudaStream_t stream) {
    ho_double<<<(n + 255) / 256, 256, 0, stream>>>(x, c, out, n);
}
