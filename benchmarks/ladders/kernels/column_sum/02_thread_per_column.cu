// kernelwright: task=../../tasks/column_sum.py entry=column_sum args="x, out, x.shape[0], x.shape[1]"
// a thread a column
#include <cuda_runtime.h>

__global__ void cs_thread(const float* x, float* out, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x;
    float v = 0.f;
    for (int r = 0; r < rows; ++r) v += x[(size_t)r * cols + c];
    out[c] = v;
}
extern "C" void column_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    cs_thread<<<cols / 32, 32, 0, stream>>>(x, out, rows, cols);
}
