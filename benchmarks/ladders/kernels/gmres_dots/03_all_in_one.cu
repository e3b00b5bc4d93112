// kernelwright: task=../../tasks/gmres_dots.py entry=dots args="basis, w, out, basis.shape[0], w.shape[0]"
// one launch: w is read once, twelve loads a round, twelve sums a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) gd_all(const double* __restrict__ basis, const double* __restrict__ w, double* __restrict__ out, int n) {
    __shared__ double part[8][12];
    int t = threadIdx.x;
    double s[12] = {};
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        double v = w[i];
#pragma unroll
        for (int j = 0; j < 12; j++) s[j] += basis[(size_t)j * n + i] * v;
    }
#pragma unroll
    for (int j = 0; j < 12; j++) {
        for (int o = 16; o; o >>= 1) s[j] += __shfl_xor_sync(0xffffffffu, s[j], o);
        if (t % 32 == 0) part[t / 32][j] = s[j];
    }
    __syncthreads();
    if (t < 12) {
        double v = 0.0;
        for (int k = 0; k < 8; k++) v += part[k][t];
        atomicAdd(out + t, v);
    }
}
extern "C" void dots(const double* basis, const double* w, double* out, int m, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 12 * sizeof(double), stream);
    gd_all<<<528, 256, 0, stream>>>(basis, w, out, n);
}
