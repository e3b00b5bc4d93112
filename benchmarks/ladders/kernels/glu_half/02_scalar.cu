// kernelwright: task=../../tasks/glu_half.py entry=glu_half args="x, out, x.shape[0], x.shape[1] // 2"
// a thread an output
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gl_scalar(const __half* x, __half* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = i / d, c = i % d;
    float a = __half2float(x[(size_t)r * 2 * d + c]), b = __half2float(x[(size_t)r * 2 * d + d + c]);
    out[i] = __float2half(a / (1.f + expf(-b)));
}
extern "C" void glu_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    int n = rows * d;
    gl_scalar<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n, d);
}
