// kernelwright: task=../../tasks/lambert_w_double.py entry=lambert_w args="x, out, x.shape[0]"
// the guess in float, then two rounds in double
#include <cuda_runtime.h>
#include <math.h>

__global__ void lambert(const double* __restrict__ x, double* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    float l = log1pf((float)v);
    float g = l * (1.0f - log1pf(l) / (2.0f + l));
    {
        float e = expf(g), f = g * e - (float)v;
        g -= f / (e * (g + 1.0f) - (g + 2.0f) * f / (2.0f * g + 2.0f));
    }
    double w = g;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        double e = exp(w);
        double f = w * e - v;
        w -= f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
    }
    out[i] = w;
}

extern "C" void lambert_w(const double* x, double* out, int n, cudaStream_t stream) {
    lambert<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
