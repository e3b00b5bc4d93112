// kernelwright: task=../../tasks/lambert_w_double.py entry=lambert_w args="x, out, x.shape[0]"
// two rounds in float and a single one in double: the third order does the rest; two numbers a thread
#include <cuda_runtime.h>
#include <math.h>

__device__ __forceinline__ double one(double v) {
    float x = (float)v;
    float l = log1pf(x);
    float g = l * (1.0f - log1pf(l) / (2.0f + l));
#pragma unroll
    for (int k = 0; k < 2; k++) {
        float e = expf(g), f = g * e - x;
        g -= f / (e * (g + 1.0f) - (g + 2.0f) * f / (2.0f * g + 2.0f));
    }
    double w = g, e = exp(w), f = w * e - v;
    return w - f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
}

__global__ void __launch_bounds__(128) lambert(const double* __restrict__ x, double* __restrict__ out, int n) {
    int i = (blockIdx.x * 128 + threadIdx.x) * 2;
    if (i + 1 < n) {
        double2 v = *(const double2*)(x + i);
        *(double2*)(out + i) = make_double2(one(v.x), one(v.y));
    } else if (i < n) {
        out[i] = one(x[i]);
    }
}

extern "C" void lambert_w(const double* x, double* out, int n, cudaStream_t stream) {
    lambert<<<(n + 255) / 256, 128, 0, stream>>>(x, out, n);
}
