// kernelwright: task=../../tasks/cholesky_double.py entry=cholesky_double args="a, out, a.shape[0]"
// a lane a row in registers, columns handed on by shuffles, rows read straight from memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ch_registers(const double2* __restrict__ a, double2* __restrict__ out, int count) {
    int i = threadIdx.x % 16, m = blockIdx.x * 8 + threadIdx.x / 16;
    double v[16];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        double2 d = m < count ? a[(m * 16 + i) * 8 + k] : make_double2(1.0, 1.0);
        v[2 * k] = d.x;
        v[2 * k + 1] = d.y;
    }
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        double pivot = sqrt(__shfl_sync(~0u, v[j], j, 16));
        v[j] = i == j ? pivot : v[j] / pivot;
#pragma unroll
        for (int k = j + 1; k < 16; ++k) v[k] -= v[j] * __shfl_sync(~0u, v[j], k, 16);
    }
    if (m >= count) return;
#pragma unroll
    for (int k = 0; k < 8; ++k) out[(m * 16 + i) * 8 + k] = make_double2(2 * k <= i ? v[2 * k] : 0.0, 2 * k + 1 <= i ? v[2 * k + 1] : 0.0);
}
extern "C" void cholesky_double(const double* a, double* out, int count, cudaStream_t stream) {
    ch_registers<<<(count + 7) / 8, 128, 0, stream>>>((const double2*)a, (double2*)out, count);
}
