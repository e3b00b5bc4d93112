// kernelwright: task=../../tasks/linear_recurrence.py entry=linear_recurrence args="a, x, out, x.shape[0], x.shape[1]"
// 64 chunks of time side by side: their products and ends, the carries, then the steps
#include <cuda_runtime.h>

__global__ void lr_ends(const float* __restrict__ a, const float* __restrict__ x, float2* __restrict__ ends, int each, int c) {
    int i = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * each;
    if (i >= c) return;
    float h = 0.f, p = 1.f;
#pragma unroll 8
    for (int k = first; k < first + each; ++k) {
        float f = a[(size_t)k * c + i];
        h = f * h + x[(size_t)k * c + i];
        p *= f;
    }
    ends[(size_t)blockIdx.y * c + i] = make_float2(p, h);
}
__global__ void lr_carry(float2* ends, int chunks, int c) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= c) return;
    float h = 0.f;
    for (int k = 0; k < chunks; ++k) {
        float2 e = ends[(size_t)k * c + i];
        ends[(size_t)k * c + i].y = h;
        h = e.x * h + e.y;
    }
}
__global__ void lr_steps(const float* __restrict__ a, const float* __restrict__ x, const float2* __restrict__ ends, float* __restrict__ out, int each, int c) {
    int i = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * each;
    if (i >= c) return;
    float h = ends[(size_t)blockIdx.y * c + i].y;
#pragma unroll 8
    for (int k = first; k < first + each; ++k) {
        h = a[(size_t)k * c + i] * h + x[(size_t)k * c + i];
        out[(size_t)k * c + i] = h;
    }
}
extern "C" void linear_recurrence(const float* a, const float* x, float* out, int t, int c, cudaStream_t stream) {
    static float2* ws = nullptr;
    static int cap = 0;
    if (cap < c) { if (ws) cudaFree(ws); cudaMalloc(&ws, sizeof(float2) * 64 * (size_t)c); cap = c; }
    int across = (c + 127) / 128, each = t / 64;
    lr_ends<<<dim3(across, 64), 128, 0, stream>>>(a, x, ws, each, c);
    lr_carry<<<across, 128, 0, stream>>>(ws, 64, c);
    lr_steps<<<dim3(across, 64), 128, 0, stream>>>(a, x, ws, out, each, c);
}
