// kernelwright: task=../../tasks/gemv_transposed_half.py entry=gemvt args="a, x, out, a.shape[0], a.shape[1]"
// zeros, then 64 parts of the rows add up by atomics
#include <cuda_fp16.h>

__global__ void gt_parts(const __half* a, const __half* x, float* out, int m, int n) {
    int c = blockIdx.x * 128 + threadIdx.x, rows = m / 64, r0 = blockIdx.y * rows;
    if (c >= n) return;
    float s = 0.f;
    for (int r = r0; r < r0 + rows; ++r) s += __half2float(x[r]) * __half2float(a[(size_t)r * n + c]);
    atomicAdd(out + c, s);
}
extern "C" void gemvt(const __half* a, const __half* x, float* out, int m, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)n * 4, stream);
    gt_parts<<<dim3((n + 127) / 128, 64), 128, 0, stream>>>(a, x, out, m, n);
}
