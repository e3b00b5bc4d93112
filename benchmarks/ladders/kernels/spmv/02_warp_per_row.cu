// kernelwright: task=../../tasks/spmv.py entry=spmv args="start, col, val, x, out, out.shape[0]"
// a warp a row
#include <cuda_runtime.h>

__global__ void sv_warp(const int* start, const int* col, const float* val, const float* x, float* out, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    float s = 0.f;
    for (int i = start[r] + lane; i < start[r + 1]; i += 32) s += val[i] * x[col[i]];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) out[r] = s;
}
extern "C" void spmv(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sv_warp<<<(rows + 7) / 8, 256, 0, stream>>>(start, col, val, x, out, rows);
}
