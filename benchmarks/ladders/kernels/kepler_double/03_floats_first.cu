// kernelwright: task=../../tasks/kepler_double.py entry=kepler args="m, e, out, m.shape[0]"
// five steps in floats, two in doubles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) kp_mixed(const double* __restrict__ m, const double* __restrict__ e, double* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    double a = m[i], b = e[i];
    float fa = (float)a, fb = (float)b, f = fa + (fa < 3.14159265f ? 0.85f : -0.85f) * fb;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
        float s = __sinf(f), c = __cosf(f);
        f -= __fdividef(f - fb * s - fa, 1.f - fb * c);
    }
    double x = f;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        double s, c;
        sincos(x, &s, &c);
        x -= (x - b * s - a) / (1.0 - b * c);
    }
    out[i] = x;
}
extern "C" void kepler(const double* m, const double* e, double* out, int n, cudaStream_t stream) {
    kp_mixed<<<(n + 255) / 256, 256, 0, stream>>>(m, e, out, n);
}
