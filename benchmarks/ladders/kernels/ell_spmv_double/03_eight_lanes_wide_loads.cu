// kernelwright: task=../../tasks/ell_spmv_double.py entry=ell args="vals, cols, x, out, vals.shape[0]"
// eight lanes a row, four entries a lane by wide loads, three shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) el_eight(const double2* __restrict__ vals, const int4* __restrict__ cols, const double* __restrict__ x, double* __restrict__ out, int rows) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= rows * 8) return;
    int4 c = cols[i];
    double2 a = vals[2 * i], b = vals[2 * i + 1];
    double s = a.x * x[c.x] + a.y * x[c.y] + b.x * x[c.z] + b.y * x[c.w];
    for (int o = 4; o; o /= 2) s += __shfl_down_sync(~0u, s, o, 8);
    if (i % 8 == 0) out[i / 8] = s;
}
extern "C" void ell(const double* vals, const int* cols, const double* x, double* out, int rows, cudaStream_t stream) {
    el_eight<<<(rows * 8 + 255) / 256, 256, 0, stream>>>((const double2*)vals, (const int4*)cols, x, out, rows);
}
