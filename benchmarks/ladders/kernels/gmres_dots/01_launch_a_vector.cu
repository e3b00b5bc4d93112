// kernelwright: task=../../tasks/gmres_dots.py entry=dots args="basis, w, out, basis.shape[0], w.shape[0]"
// twelve launches of 264 blocks, an atomic of a double for each block
#include <cuda_runtime.h>

__global__ void gd_one(const double* a, const double* w, double* out, int n) {
    __shared__ double part[256];
    int t = threadIdx.x;
    double s = 0.0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) s += a[i] * w[i];
    part[t] = s;
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, part[0]);
}
extern "C" void dots(const double* basis, const double* w, double* out, int m, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, m * sizeof(double), stream);
    for (int j = 0; j < m; j++) gd_one<<<264, 256, 0, stream>>>(basis + (size_t)j * n, w, out + j, n);
}
