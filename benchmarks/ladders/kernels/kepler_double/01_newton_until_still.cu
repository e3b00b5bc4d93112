// kernelwright: task=../../tasks/kepler_double.py entry=kepler args="m, e, out, m.shape[0]"
// Newton's steps in doubles until they are small: lanes leave at different times
#include <cuda_runtime.h>

__global__ void kp_newton(const double* m, const double* e, double* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    double a = m[i], b = e[i], x = a + 0.85 * b * (sin(a) > 0 ? 1.0 : -1.0);
    for (int k = 0; k < 12; ++k) {
        double d = (x - b * sin(x) - a) / (1.0 - b * cos(x));
        x -= d;
        if (fabs(d) < 1e-9) break;
    }
    out[i] = x;
}
extern "C" void kepler(const double* m, const double* e, double* out, int n, cudaStream_t stream) {
    kp_newton<<<(n + 255) / 256, 256, 0, stream>>>(m, e, out, n);
}
