// kernelwright: task=../../tasks/pairwise.py entry=pairwise args="a, b, out, a.shape[0]"
// a thread a row with its point in registers, the others read as float4 by all lanes at once
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) pw_broadcast(const float4* __restrict__ a, const float4* __restrict__ b, float* __restrict__ out, int n) {
    int j = blockIdx.x * 128 + threadIdx.x, i0 = blockIdx.y * 64;
    float4 p[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) p[k] = b[(size_t)j * 16 + k];
    for (int i = i0; i < i0 + 64; ++i) {
        float s = 0.f;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float4 q = a[(size_t)i * 16 + k];
            float x = q.x - p[k].x, y = q.y - p[k].y, z = q.z - p[k].z, w = q.w - p[k].w;
            s += x * x + y * y + z * z + w * w;
        }
        out[(size_t)i * n + j] = s;
    }
}
extern "C" void pairwise(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    pw_broadcast<<<dim3(n / 128, n / 64), 128, 0, stream>>>((const float4*)a, (const float4*)b, out, n);
}
