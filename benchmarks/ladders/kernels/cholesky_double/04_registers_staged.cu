// kernelwright: task=../../tasks/cholesky_double.py entry=cholesky_double args="a, out, a.shape[0]"
// rows in registers, loads and stores side by side through shared memory, one division a column
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) ch_staged(const double* __restrict__ a, double* __restrict__ out, int count) {
    __shared__ double s[4][2][16][17];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, i = lane % 16, q = lane / 16, first = (blockIdx.x * 4 + w) * 2;
    if (first >= count) return;
    int left = min(2, count - first) * 256;
    for (int e = lane; e < 512; e += 32) s[w][e / 256][e / 16 % 16][e % 16] = e < left ? a[first * 256 + e] : 1.0;
    __syncwarp();
    double v[16];
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = s[w][q][i][k];
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        double d = __shfl_sync(~0u, v[j], j, 16), r = 1.0 / sqrt(d);
        v[j] *= r;
#pragma unroll
        for (int k = j + 1; k < 16; ++k) v[k] -= v[j] * __shfl_sync(~0u, v[j], k, 16);
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) s[w][q][i][k] = k <= i ? v[k] : 0.0;
    __syncwarp();
    for (int e = lane; e < left; e += 32) out[first * 256 + e] = s[w][e / 256][e / 16 % 16][e % 16];
}
extern "C" void cholesky_double(const double* a, double* out, int count, cudaStream_t stream) {
    ch_staged<<<(count + 7) / 8, 128, 0, stream>>>(a, out, count);
}
