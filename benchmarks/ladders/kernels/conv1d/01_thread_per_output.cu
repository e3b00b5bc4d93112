// kernelwright: task=../../tasks/conv1d.py entry=conv1d args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an output, bounds checked for every tap
#include <cuda_runtime.h>

__global__ void c1_direct(const float* x, const float* w, float* out, int c, int len) {
    int p = blockIdx.x * 256 + threadIdx.x, o = blockIdx.y;
    size_t base = (size_t)blockIdx.z * c * len;
    if (p >= len) return;
    float s = 0.f;
    for (int i = 0; i < c; ++i)
        for (int k = 0; k < 5; ++k) {
            int q = p + k - 2;
            if (q >= 0 && q < len) s += x[base + (size_t)i * len + q] * w[(o * c + i) * 5 + k];
        }
    out[base + (size_t)o * len + p] = s;
}
extern "C" void conv1d(const float* x, const float* w, float* out, int b, int c, int len, cudaStream_t stream) {
    c1_direct<<<dim3((len + 255) / 256, c, b), 256, 0, stream>>>(x, w, out, c, len);
}
