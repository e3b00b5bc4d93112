// kernelwright: task=../../tasks/lambert_w_double.py entry=lambert_w args="x, out, x.shape[0]"
// Halley from a crude start until two iterates agree; as many rounds as the slowest lane needs
#include <cuda_runtime.h>
#include <math.h>

__global__ void lambert(const double* x, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    double w = 0.5 * log1p(v);
    for (int k = 0; k < 50; k++) {
        double e = exp(w);
        double f = w * e - v;
        double step = f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
        w -= step;
        if (fabs(step) <= 1e-14 * (1.0 + fabs(w))) break;
    }
    out[i] = w;
}

extern "C" void lambert_w(const double* x, double* out, int n, cudaStream_t stream) {
    lambert<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
