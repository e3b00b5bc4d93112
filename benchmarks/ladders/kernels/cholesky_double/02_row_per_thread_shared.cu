// kernelwright: task=../../tasks/cholesky_double.py entry=cholesky_double args="a, out, a.shape[0]"
// sixteen threads a matrix, a row each, in shared memory
#include <cuda_runtime.h>

__global__ void ch_shared(const double* __restrict__ a, double* __restrict__ out, int count) {
    __shared__ double s[8][16][17];
    int t = threadIdx.x, q = t / 16, i = t % 16, first = blockIdx.x * 8;
    int left = min(8, count - first) * 256;
    for (int e = t; e < 2048; e += 128) s[e / 256][e / 16 % 16][e % 16] = e < left ? a[first * 256 + e] : (e / 16 % 16 == e % 16 ? 1.0 : 0.0);
    __syncthreads();
    for (int j = 0; j < 16; ++j) {
        double v = s[q][i][j];
        for (int k = 0; k < j; ++k) v -= s[q][i][k] * s[q][j][k];
        __syncwarp();
        if (i == j) s[q][j][j] = sqrt(v);
        __syncwarp();
        if (i > j) s[q][i][j] = v / s[q][j][j];
        if (i < j) s[q][i][j] = 0.0;
        __syncwarp();
    }
    __syncthreads();
    for (int e = t; e < left; e += 128) out[first * 256 + e] = s[e / 256][e / 16 % 16][e % 16];
}
extern "C" void cholesky_double(const double* a, double* out, int count, cudaStream_t stream) {
    ch_shared<<<(count + 7) / 8, 128, 0, stream>>>(a, out, count);
}
