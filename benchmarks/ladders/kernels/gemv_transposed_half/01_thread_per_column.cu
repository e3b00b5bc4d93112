// kernelwright: task=../../tasks/gemv_transposed_half.py entry=gemvt args="a, x, out, a.shape[0], a.shape[1]"
// a thread a column from top to bottom: coalesced, but few threads
#include <cuda_fp16.h>

__global__ void gt_column(const __half* a, const __half* x, float* out, int m, int n) {
    int c = blockIdx.x * 128 + threadIdx.x;
    if (c >= n) return;
    float s = 0.f;
    for (int r = 0; r < m; ++r) s += __half2float(x[r]) * __half2float(a[(size_t)r * n + c]);
    out[c] = s;
}
extern "C" void gemvt(const __half* a, const __half* x, float* out, int m, int n, cudaStream_t stream) {
    gt_column<<<(n + 127) / 128, 128, 0, stream>>>(a, x, out, m, n);
}
