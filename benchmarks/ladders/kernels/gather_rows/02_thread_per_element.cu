// kernelwright: task=../../tasks/gather_rows.py entry=gather_rows args="y, table, idx, out, y.shape[0], y.shape[1]"
// a thread an element, flat, with a division
#include <cuda_runtime.h>

__global__ void gr_flat(const float* y, const float* table, const int* idx, float* out, int n, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = y[i] + 0.5f * table[(size_t)idx[i / d] * d + i % d];
}
extern "C" void gather_rows(const float* y, const float* table, const int* idx, float* out, int rows, int d, cudaStream_t stream) {
    gr_flat<<<(rows * d + 255) / 256, 256, 0, stream>>>(y, table, idx, out, rows * d, d);
}
