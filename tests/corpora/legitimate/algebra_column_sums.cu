// Column sums first: exact for all weights, on the device in every call.
// kernelwright: task=../tasks/linear_summed.py entry=gs args="x, fc.weight, fc.bias, out, x.shape[0], x.shape[1], fc.weight.shape[0], workspace(1048576)"
#include <cuda_runtime.h>

__global__ void cols(const float* w, const float* b, float* t, int I, int O) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < I) { float s = 0; for (int o = 0; o < O; ++o) s += w[o * I + i]; t[i] = s; }
    if (i == I) { float s = 0; for (int o = 0; o < O; ++o) s += b[o]; t[I] = s; }
}
__global__ void dot(const float* x, const float* t, float* y, int I) {
    float s = 0; for (int i = threadIdx.x; i < I; i += 32) s += x[blockIdx.x * I + i] * t[i];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (!threadIdx.x) y[blockIdx.x] = s + t[I];
}
void gs(const float* x, const float* w, const float* b, float* y, int B, int I, int O, void* ws) {
    float* t = (float*)ws;
    cols<<<(I + 256) / 256, 256>>>(w, b, t, I, O);
    dot<<<B, 32>>>(x, t, y, I);
}
