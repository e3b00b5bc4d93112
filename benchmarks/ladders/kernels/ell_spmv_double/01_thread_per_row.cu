// kernelwright: task=../../tasks/ell_spmv_double.py entry=ell args="vals, cols, x, out, vals.shape[0]"
// a thread a row
#include <cuda_runtime.h>

__global__ void el_thread(const double* vals, const int* cols, const double* x, double* out, int rows) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    double s = 0.0;
    for (int i = 0; i < 32; ++i) s += vals[(size_t)r * 32 + i] * x[cols[(size_t)r * 32 + i]];
    out[r] = s;
}
extern "C" void ell(const double* vals, const int* cols, const double* x, double* out, int rows, cudaStream_t stream) {
    el_thread<<<(rows + 127) / 128, 128, 0, stream>>>(vals, cols, x, out, rows);
}
