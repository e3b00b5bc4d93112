// kernelwright: task=../../tasks/dgemm.py entry=dgemm args="a, b, out, a.shape[0]"
// 16 x 16 tiles in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) dg_tile(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ out, int n) {
    __shared__ double as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
    double s = 0.0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[ty][tx] = a[(size_t)r * n + k0 + tx];
        bs[ty][tx] = b[(size_t)(k0 + ty) * n + c];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) s += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    out[(size_t)r * n + c] = s;
}
extern "C" void dgemm(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    dg_tile<<<dim3(n / 16, n / 16), dim3(16, 16), 0, stream>>>(a, b, out, n);
}
