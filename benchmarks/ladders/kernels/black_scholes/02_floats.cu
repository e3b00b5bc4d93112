// kernelwright: task=../../tasks/black_scholes.py entry=black_scholes args="price, strike, years, out, price.shape[0]"
// the same in single precision
#include <cuda_runtime.h>

__global__ void bs_float(const float* price, const float* strike, const float* years, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = price[i], k = strike[i], t = years[i], root = 0.3f * sqrtf(t);
    float d1 = (logf(s / k) + 0.065f * t) / root, d2 = d1 - root;
    float later = k * expf(-0.02f * t);
    float call = s * 0.5f * erfcf(-d1 * 0.70710678f) - later * 0.5f * erfcf(-d2 * 0.70710678f);
    out[i] = call;
    out[n + i] = call + later - s;
}
extern "C" void black_scholes(const float* price, const float* strike, const float* years, float* out, int n, cudaStream_t stream) {
    bs_float<<<(n + 255) / 256, 256, 0, stream>>>(price, strike, years, out, n);
}
