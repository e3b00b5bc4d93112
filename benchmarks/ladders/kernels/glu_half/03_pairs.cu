// kernelwright: task=../../tasks/glu_half.py entry=glu_half args="x, out, x.shape[0], x.shape[1] // 2"
// a pair a thread, fast functions
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gl_pairs(const __half2* x, __half2* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = i / d, c = i % d;
    float2 a = __half22float2(x[(size_t)r * 2 * d + c]), b = __half22float2(x[(size_t)r * 2 * d + d + c]);
    out[i] = __floats2half2_rn(__fdividef(a.x, 1.f + __expf(-b.x)), __fdividef(a.y, 1.f + __expf(-b.y)));
}
extern "C" void glu_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    int n = rows * d / 2;
    gl_pairs<<<(n + 255) / 256, 256, 0, stream>>>((const __half2*)x, (__half2*)out, n, d / 2);
}
