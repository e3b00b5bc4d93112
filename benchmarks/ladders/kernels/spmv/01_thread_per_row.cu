// kernelwright: task=../../tasks/spmv.py entry=spmv args="start, col, val, x, out, out.shape[0]"
// a thread a row
#include <cuda_runtime.h>

__global__ void sv_thread(const int* start, const int* col, const float* val, const float* x, float* out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int i = start[r]; i < start[r + 1]; ++i) s += val[i] * x[col[i]];
    out[r] = s;
}
extern "C" void spmv(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sv_thread<<<(rows + 255) / 256, 256, 0, stream>>>(start, col, val, x, out, rows);
}
