// kernelwright: task=../../tasks/column_sum.py entry=column_sum args="x, out, x.shape[0], x.shape[1]"
// 64 rows a block of 256 columns, sums added atomically
#include <cuda_runtime.h>

__global__ void cs_atomic(const float* x, float* out, int cols) {
    int c = blockIdx.x * 256 + threadIdx.x;
    float v = 0.f;
    for (int r = blockIdx.y * 64; r < blockIdx.y * 64 + 64; ++r) v += x[(size_t)r * cols + c];
    atomicAdd(&out[c], v);
}
extern "C" void column_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, cols * 4, stream);
    cs_atomic<<<dim3(cols / 256, rows / 64), 256, 0, stream>>>(x, out, cols);
}
