// kernelwright: task=../../tasks/rope.py entry=rope args="x, cos, sin, out, x.shape[0], x.shape[1]"
// four pairs a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) rp_four(const float4* __restrict__ x, const float4* __restrict__ cos, const float4* __restrict__ sin, float4* __restrict__ out, int n, int h) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    int d = i % 16, row = i / 16, p = row / h;
    float4 c = cos[p * 16 + d], s = sin[p * 16 + d], a = x[(size_t)row * 32 + d], b = x[(size_t)row * 32 + 16 + d];
    out[(size_t)row * 32 + d] = make_float4(a.x * c.x - b.x * s.x, a.y * c.y - b.y * s.y, a.z * c.z - b.z * s.z, a.w * c.w - b.w * s.w);
    out[(size_t)row * 32 + 16 + d] = make_float4(b.x * c.x + a.x * s.x, b.y * c.y + a.y * s.y, b.z * c.z + a.z * s.z, b.w * c.w + a.w * s.w);
}
extern "C" void rope(const float* x, const float* cos, const float* sin, float* out, int s, int h, cudaStream_t stream) {
    int n = s * h * 16;
    rp_four<<<(n + 255) / 256, 256, 0, stream>>>((const float4*)x, (const float4*)cos, (const float4*)sin, (float4*)out, n, h);
}
