// kernelwright: task=../../tasks/lambert_w_double.py entry=lambert_w args="x, out, x.shape[0]"
// Winitzki's guess: three rounds are enough, no test
#include <cuda_runtime.h>
#include <math.h>

__global__ void lambert(const double* x, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    double l = log1p(v);
    double w = l * (1.0 - log1p(l) / (2.0 + l));
    for (int k = 0; k < 3; k++) {
        double e = exp(w);
        double f = w * e - v;
        w -= f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
    }
    out[i] = w;
}

extern "C" void lambert_w(const double* x, double* out, int n, cudaStream_t stream) {
    lambert<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
