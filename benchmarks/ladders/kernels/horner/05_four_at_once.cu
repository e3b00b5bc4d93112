// kernelwright: task=../../tasks/horner.py entry=horner args="x, c, out, x.numel()"
// coefficients in shared memory as float4, four elements a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ho_four(const float4* __restrict__ x, const float* __restrict__ c, float4* __restrict__ out, int n4) {
    __shared__ __align__(16) float s[256];
    s[threadIdx.x] = c[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    float4 v = x[i], y = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 4
    for (int k = 0; k < 64; ++k) {
        float4 q = ((const float4*)s)[k];
        y.x = y.x * v.x + q.x; y.y = y.y * v.y + q.x; y.z = y.z * v.z + q.x; y.w = y.w * v.w + q.x;
        y.x = y.x * v.x + q.y; y.y = y.y * v.y + q.y; y.z = y.z * v.z + q.y; y.w = y.w * v.w + q.y;
        y.x = y.x * v.x + q.z; y.y = y.y * v.y + q.z; y.z = y.z * v.z + q.z; y.w = y.w * v.w + q.z;
        y.x = y.x * v.x + q.w; y.y = y.y * v.y + q.w; y.z = y.z * v.z + q.w; y.w = y.w * v.w + q.w;
    }
    out[i] = y;
}
extern "C" void horner(const float* x, const float* c, float* out, int n, cudaStream_t stream) {
    ho_four<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)x, c, (float4*)out, n / 4);
}
