// kernelwright: task=../../tasks/bsr_mm_half.py entry=bsr_mm args="start, col, val, x, out, start.shape[0] - 1, x.shape[1]"
// 32 x 32 outputs a block, four rows a thread, everything from global memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void bs_rows(const int* start, const int* col, const __half* val, const __half* x, float* out, int n) {
    int c = blockIdx.x * 32 + threadIdx.x, r = threadIdx.y * 4;
    float acc[4] = {};
    for (int b = start[blockIdx.y]; b < start[blockIdx.y + 1]; ++b) {
        const __half* v = val + (size_t)b * 1024 + r * 32;
        const __half* p = x + (size_t)col[b] * 32 * n + c;
        for (int k = 0; k < 32; ++k) {
            float f = __half2float(p[(size_t)k * n]);
            for (int i = 0; i < 4; ++i) acc[i] += __half2float(v[i * 32 + k]) * f;
        }
    }
    for (int i = 0; i < 4; ++i) out[((size_t)blockIdx.y * 32 + r + i) * n + c] = acc[i];
}
extern "C" void bsr_mm(const int* start, const int* col, const __half* val, const __half* x, float* out, int rows, int n, cudaStream_t stream) {
    bs_rows<<<dim3(n / 32, rows), dim3(32, 8), 0, stream>>>(start, col, val, x, out, n);
}
