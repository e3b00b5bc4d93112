// kernelwright: task=../../tasks/dgemm.py entry=dgemm args="a, b, out, a.shape[0]"
// a thread an output from global memory
#include <cuda_runtime.h>

__global__ void dg_naive(const double* a, const double* b, double* out, int n) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= n || c >= n) return;
    double s = 0.0;
    for (int k = 0; k < n; ++k) s += a[(size_t)r * n + k] * b[(size_t)k * n + c];
    out[(size_t)r * n + c] = s;
}
extern "C" void dgemm(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    dg_naive<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8), 0, stream>>>(a, b, out, n);
}
