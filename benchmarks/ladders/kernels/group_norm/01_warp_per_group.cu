// kernelwright: task=../../tasks/group_norm.py entry=group_norm args="x, out, x.shape[0] * 32, x.shape[1] * x.shape[2] // 32"
// a warp a group, three passes
#include <cuda_runtime.h>

__global__ void gn_warp(const float* x, float* out, int d) {
    int lane = threadIdx.x;
    const float* g = x + (size_t)blockIdx.x * d;
    float s = 0.f, v = 0.f;
    for (int i = lane; i < d; i += 32) s += g[i];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    s /= d;
    for (int i = lane; i < d; i += 32) v += (g[i] - s) * (g[i] - s);
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    v = rsqrtf(v / d + 1e-5f);
    for (int i = lane; i < d; i += 32) out[(size_t)blockIdx.x * d + i] = (g[i] - s) * v;
}
extern "C" void group_norm(const float* x, float* out, int groups, int d, cudaStream_t stream) {
    gn_warp<<<groups, 32, 0, stream>>>(x, out, d);
}
