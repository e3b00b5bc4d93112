// kernelwright: task=../../tasks/selective_scan.py entry=selective args="x, dt, a, b, c, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread a channel with its sixteen states, b and c from global memory
#include <cuda_runtime.h>

__global__ void s1_channel(const float* x, const float* dt, const float* a, const float* b, const float* c, float* out, int len, int d) {
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    float h[16] = {}, av[16];
    for (int s = 0; s < 16; ++s) av[s] = a[ch * 16 + s];
    for (int t = 0; t < len; ++t) {
        size_t row = (size_t)blockIdx.y * len + t;
        float step = dt[row * d + ch], in = step * x[row * d + ch], y = 0.f;
        for (int s = 0; s < 16; ++s) {
            h[s] = expf(step * av[s]) * h[s] + in * b[row * 16 + s];
            y += h[s] * c[row * 16 + s];
        }
        out[row * d + ch] = y;
    }
}
extern "C" void selective(const float* x, const float* dt, const float* a, const float* b, const float* c, float* out, int n, int len, int d, cudaStream_t stream) {
    s1_channel<<<dim3(d / 128, n), 128, 0, stream>>>(x, dt, a, b, c, out, len, d);
}
