// kernelwright: task=../../tasks/glu_half.py entry=glu_half args="x, out, x.shape[0], x.shape[1] // 2"
// eight a thread
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gl_eight(const uint4* __restrict__ x, uint4* __restrict__ out, int n, int d8) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    int r = i / d8, c = i % d8;
    uint4 u = x[(size_t)r * 2 * d8 + c], w = x[(size_t)r * 2 * d8 + d8 + c], o;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        float2 a = __half22float2(((const __half2*)&u)[k]), b = __half22float2(((const __half2*)&w)[k]);
        ((__half2*)&o)[k] = __floats2half2_rn(__fdividef(a.x, 1.f + __expf(-b.x)), __fdividef(a.y, 1.f + __expf(-b.y)));
    }
    out[i] = o;
}
extern "C" void glu_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    int n = rows * d / 8;
    gl_eight<<<(n + 255) / 256, 256, 0, stream>>>((const uint4*)x, (uint4*)out, n, d / 8);
}
