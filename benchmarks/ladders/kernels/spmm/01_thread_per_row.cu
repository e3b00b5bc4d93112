// kernelwright: task=../../tasks/spmm.py entry=spmm args="start, col, val, x, out, x.shape[0]"
// a thread a row, for each column in turn
#include <cuda_runtime.h>

__global__ void sm_thread(const int* start, const int* col, const float* val, const float* x, float* out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x, d = blockIdx.y;
    if (r >= rows) return;
    float sum = 0.f;
    for (int j = start[r]; j < start[r + 1]; ++j) sum += val[j] * x[(size_t)col[j] * 128 + d];
    out[(size_t)r * 128 + d] = sum;
}
extern "C" void spmm(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sm_thread<<<dim3((rows + 127) / 128, 128), 128, 0, stream>>>(start, col, val, x, out, rows);
}
