// kernelwright: task=../../tasks/compact_rows.py entry=compact_rows args="x, out, x.shape[0], x.shape[1]"
// a thread a row
#include <cuda_runtime.h>

__global__ void cr_thread(const float* x, float* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int n = 0;
    for (int i = 0; i < d; ++i) {
        float v = x[(size_t)r * d + i];
        if (v > 0.f) out[(size_t)r * d + n++] = v;
    }
    for (; n < d; ++n) out[(size_t)r * d + n] = 0.f;
}
extern "C" void compact_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    cr_thread<<<(rows + 63) / 64, 64, 0, stream>>>(x, out, rows, d);
}
