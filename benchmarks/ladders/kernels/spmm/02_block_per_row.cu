// kernelwright: task=../../tasks/spmm.py entry=spmm args="start, col, val, x, out, x.shape[0]"
// a block of 128 a row, a thread a column
#include <cuda_runtime.h>

__global__ void sm_block(const int* start, const int* col, const float* val, const float* x, float* out) {
    int r = blockIdx.x, d = threadIdx.x;
    float sum = 0.f;
    for (int j = start[r]; j < start[r + 1]; ++j) sum += val[j] * x[(size_t)col[j] * 128 + d];
    out[(size_t)r * 128 + d] = sum;
}
extern "C" void spmm(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sm_block<<<rows, 128, 0, stream>>>(start, col, val, x, out);
}
