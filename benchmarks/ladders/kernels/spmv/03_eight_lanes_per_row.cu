// kernelwright: task=../../tasks/spmv.py entry=spmv args="start, col, val, x, out, out.shape[0]"
// eight lanes a row
#include <cuda_runtime.h>

__global__ void sv_eight(const int* __restrict__ start, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ out, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (r >= rows) return;
    float s = 0.f;
    int end = start[r + 1];
    for (int i = start[r] + lane; i < end; i += 8) s += val[i] * x[col[i]];
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) out[r] = s;
}
extern "C" void spmv(const int* start, const int* col, const float* val, const float* x, float* out, int rows, cudaStream_t stream) {
    sv_eight<<<(rows + 31) / 32, 256, 0, stream>>>(start, col, val, x, out, rows);
}
