// kernelwright: task=../../tasks/ell_spmv_double.py entry=ell args="vals, cols, x, out, vals.shape[0]"
// a warp a row, five shuffles of doubles
#include <cuda_runtime.h>

__global__ void el_warp(const double* __restrict__ vals, const int* __restrict__ cols, const double* __restrict__ x, double* __restrict__ out, int rows) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    size_t i = (size_t)r * 32 + lane;
    double s = vals[i] * x[cols[i]];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) out[r] = s;
}
extern "C" void ell(const double* vals, const int* cols, const double* x, double* out, int rows, cudaStream_t stream) {
    el_warp<<<(rows + 7) / 8, 256, 0, stream>>>(vals, cols, x, out, rows);
}
