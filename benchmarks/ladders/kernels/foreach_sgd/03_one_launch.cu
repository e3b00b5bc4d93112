// kernelwright: task=../../tasks/foreach_sgd.py entry=foreach_sgd args="p, g, m, lr, out, p.shape[0], p.shape[1]"
// one launch, the tensor by the block's second index
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) fs_grid(const float* __restrict__ p, const float* __restrict__ g, const float* __restrict__ m, const float* __restrict__ lr, float* __restrict__ out, int n) {
    int c = blockIdx.x * 256 + threadIdx.x;
    if (c >= n) return;
    size_t i = (size_t)blockIdx.y * n + c;
    float a = p[i], d = g[i] + 0.01f * a;
    out[i] = a - lr[blockIdx.y] * (d + 0.9f * (0.9f * m[i] + d));
}
extern "C" void foreach_sgd(const float* p, const float* g, const float* m, const float* lr, float* out, int tensors, int n, cudaStream_t stream) {
    fs_grid<<<dim3((n + 255) / 256, tensors), 256, 0, stream>>>(p, g, m, lr, out, n);
}
