// kernelwright: task=../../tasks/laplace3d.py entry=laplace3d args="x, out, x.shape[0]"
// a thread a cell
#include <cuda_runtime.h>

__global__ void la_plain(const float* x, float* out, int n) {
    int k = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (k >= n || y >= n) return;
    size_t i = ((size_t)z * n + y) * n + k, p = (size_t)n * n;
    bool inside = z > 0 && z < n - 1 && y > 0 && y < n - 1 && k > 0 && k < n - 1;
    out[i] = inside ? x[i + p] + x[i - p] + x[i + n] + x[i - n] + x[i + 1] + x[i - 1] - 6.f * x[i] : x[i];
}
extern "C" void laplace3d(const float* x, float* out, int n, cudaStream_t stream) {
    la_plain<<<dim3((n + 31) / 32, (n + 7) / 8, n), dim3(32, 8), 0, stream>>>(x, out, n);
}
