// kernelwright: task=../../tasks/glu_half.py entry=glu_half args="x, out, x.shape[0], x.shape[1] // 2"
// neighbouring threads in neighbouring rows
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gl_rows(const __half* x, __half* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (r >= rows) return;
    float a = __half2float(x[(size_t)r * 2 * d + c]), b = __half2float(x[(size_t)r * 2 * d + d + c]);
    out[(size_t)r * d + c] = __float2half(a / (1.f + expf(-b)));
}
extern "C" void glu_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    gl_rows<<<dim3((rows + 255) / 256, d), 256, 0, stream>>>(x, out, rows, d);
}
