// kernelwright: task=../../tasks/black_scholes.py entry=black_scholes args="price, strike, years, out, price.shape[0]"
// literals and functions of double precision
#include <cuda_runtime.h>

__global__ void bs_double(const float* price, const float* strike, const float* years, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = price[i], k = strike[i], t = years[i], root = 0.3 * sqrt(t);
    double d1 = (log(s / k) + (0.02 + 0.045) * t) / root, d2 = d1 - root;
    double later = k * exp(-0.02 * t), call = s * normcdf(d1) - later * normcdf(d2);
    out[i] = call;
    out[n + i] = call + later - s;
}
extern "C" void black_scholes(const float* price, const float* strike, const float* years, float* out, int n, cudaStream_t stream) {
    bs_double<<<(n + 255) / 256, 256, 0, stream>>>(price, strike, years, out, n);
}
