// kernelwright: task=../../tasks/kepler_double.py entry=kepler args="m, e, out, m.shape[0]"
// sine and cosine together, five steps for all
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) kp_sincos(const double* __restrict__ m, const double* __restrict__ e, double* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    double a = m[i], b = e[i], x = a + (a < 3.141592653589793 ? 0.85 : -0.85) * b;
    for (int k = 0; k < 5; ++k) {
        double s, c;
        sincos(x, &s, &c);
        x -= (x - b * s - a) / (1.0 - b * c);
    }
    out[i] = x;
}
extern "C" void kepler(const double* m, const double* e, double* out, int n, cudaStream_t stream) {
    kp_sincos<<<(n + 255) / 256, 256, 0, stream>>>(m, e, out, n);
}
