// kernelwright: task=../../tasks/foreach_sgd.py entry=foreach_sgd args="p, g, m, lr, out, p.shape[0], p.shape[1]"
// a launch a tensor
#include <cuda_runtime.h>

__global__ void fs_one(const float* p, const float* g, const float* m, const float* lr, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float a = p[i], d = g[i] + 0.01f * a;
    out[i] = a - *lr * (d + 0.9f * (0.9f * m[i] + d));
}
extern "C" void foreach_sgd(const float* p, const float* g, const float* m, const float* lr, float* out, int tensors, int n, cudaStream_t stream) {
    for (int l = 0; l < tensors; ++l) {
        size_t o = (size_t)l * n;
        fs_one<<<(n + 255) / 256, 256, 0, stream>>>(p + o, g + o, m + o, lr + l, out + o, n);
    }
}
