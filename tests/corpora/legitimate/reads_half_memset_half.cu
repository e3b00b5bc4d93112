// Zeros by memset, the upper triangle by a kernel; half the input is not needed.
// kernelwright: task=../tasks/upper_triangle.py entry=tu args="x, out, x.shape[0]"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int n) { int r = blockIdx.x; for (int c = r + threadIdx.x; c < n; c += blockDim.x) y[(size_t)r * n + c] = x[(size_t)r * n + c]; }
void tu(const float* x, float* y, int n, cudaStream_t s) { cudaMemsetAsync(y, 0, 4ul * n * n, s); k<<<n, 128, 0, s>>>(x, y, n); }
