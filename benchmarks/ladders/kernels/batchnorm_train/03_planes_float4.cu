// kernelwright: task=../../tasks/batchnorm_train.py entry=batchnorm_train args="x, w, b, out, x.shape[0], x.shape[1], x.shape[2] * x.shape[3]"
// a block a plane, four values a thread, the planes' sums written and added up by whoever normalises
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) bn_plane(const float4* __restrict__ x, float2* __restrict__ part, int quads) {
    __shared__ float2 s[4];
    float a = 0.f, q = 0.f;
    for (int i = threadIdx.x; i < quads; i += 128) {
        float4 v = x[(size_t)blockIdx.x * quads + i];
        a += v.x + v.y + v.z + v.w;
        q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o > 0; o /= 2) {
        a += __shfl_xor_sync(~0u, a, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = make_float2(a, q);
    __syncthreads();
    if (threadIdx.x == 0) part[blockIdx.x] = make_float2(s[0].x + s[1].x + s[2].x + s[3].x, s[0].y + s[1].y + s[2].y + s[3].y);
}
__global__ void __launch_bounds__(128) bn_scale(const float4* __restrict__ x, const float2* __restrict__ part, const float* __restrict__ w, const float* __restrict__ b, float4* __restrict__ out, int n, int c, int quads) {
    __shared__ float2 s[4];
    int ch = blockIdx.x % c;
    float a = 0.f, q = 0.f;
    for (int i = threadIdx.x; i < n; i += 128) {
        float2 p = part[i * c + ch];
        a += p.x;
        q += p.y;
    }
    for (int o = 16; o > 0; o /= 2) {
        a += __shfl_xor_sync(~0u, a, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = make_float2(a, q);
    __syncthreads();
    float m = 4.f * n * quads, mean = (s[0].x + s[1].x + s[2].x + s[3].x) / m;
    float scale = rsqrtf((s[0].y + s[1].y + s[2].y + s[3].y) / m - mean * mean + 1e-5f) * w[ch], shift = b[ch] - mean * scale;
    for (int i = threadIdx.x; i < quads; i += 128) {
        float4 v = x[(size_t)blockIdx.x * quads + i];
        out[(size_t)blockIdx.x * quads + i] = make_float4(v.x * scale + shift, v.y * scale + shift, v.z * scale + shift, v.w * scale + shift);
    }
}
extern "C" void batchnorm_train(const float* x, const float* w, const float* b, float* out, int n, int c, int area, cudaStream_t stream) {
    static float2* part = nullptr;
    if (!part) cudaMalloc(&part, sizeof(float2) * 65536);
    bn_plane<<<n * c, 128, 0, stream>>>((const float4*)x, part, area / 4);
    bn_scale<<<n * c, 128, 0, stream>>>((const float4*)x, part, w, b, (float4*)out, n, c, area / 4);
}
