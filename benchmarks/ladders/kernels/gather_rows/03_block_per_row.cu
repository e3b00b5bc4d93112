// kernelwright: task=../../tasks/gather_rows.py entry=gather_rows args="y, table, idx, out, y.shape[0], y.shape[1]"
// a block a row
#include <cuda_runtime.h>

__global__ void gr_block(const float* y, const float* table, const int* idx, float* out, int d) {
    size_t r = blockIdx.x, from = (size_t)idx[r] * d;
    for (int i = threadIdx.x; i < d; i += blockDim.x) out[r * d + i] = y[r * d + i] + 0.5f * table[from + i];
}
extern "C" void gather_rows(const float* y, const float* table, const int* idx, float* out, int rows, int d, cudaStream_t stream) {
    gr_block<<<rows, 64, 0, stream>>>(y, table, idx, out, d);
}
