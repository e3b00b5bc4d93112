// kernelwright: task=../../tasks/spmm8_double.py entry=spmm8 args="start, col, val, x, out, start.shape[0] - 1"
// a warp a row: four pairs of lanes by sixteen entries would be too many, so eight entries by four double2
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) sp_warp(const int* __restrict__ start, const int* __restrict__ col, const double* __restrict__ val, const double2* __restrict__ x, double2* __restrict__ out, int rows) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, k = lane / 4, j = lane % 4;
    if (r >= rows) return;
    double2 s = make_double2(0.0, 0.0);
    int end = __ldg(start + r + 1);
    for (int e = __ldg(start + r) + k; e < end; e += 8) {
        double v = val[e];
        double2 y = x[(size_t)col[e] * 4 + j];
        s.x += v * y.x;
        s.y += v * y.y;
    }
#pragma unroll
    for (int o = 16; o >= 4; o >>= 1) {
        s.x += __shfl_down_sync(0xffffffff, s.x, o);
        s.y += __shfl_down_sync(0xffffffff, s.y, o);
    }
    if (k == 0) out[(size_t)r * 4 + j] = s;
}
extern "C" void spmm8(const int* start, const int* col, const double* val, const double* x, double* out, int rows, cudaStream_t stream) {
    sp_warp<<<(rows + 3) / 4, 128, 0, stream>>>(start, col, val, (const double2*)x, (double2*)out, rows);
}
