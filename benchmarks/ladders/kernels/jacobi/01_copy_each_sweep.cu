// kernelwright: task=../../tasks/jacobi.py entry=jacobi args="x, out, x.shape[0]"
// a launch a sweep and a copy after each, memory allocated in the stream
#include <cuda_runtime.h>

__global__ void ja_sweep(const float* x, float* y, int n) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, i = r * n + c;
    if (c >= n || r >= n) return;
    bool inside = c > 0 && c < n - 1 && r > 0 && r < n - 1;
    y[i] = inside ? 0.25f * (x[i + n] + x[i - n] + x[i + 1] + x[i - 1]) : x[i];
}
__device__ float ja_work[1024 * 1024];
extern "C" void jacobi(const float* x, float* out, int n, cudaStream_t stream) {
    float* work;
    cudaGetSymbolAddress((void**)&work, ja_work);
    dim3 grid((n + 31) / 32, (n + 7) / 8), block(32, 8);
    cudaMemcpyAsync(work, x, (size_t)n * n * 4, cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < 16; ++k) {
        ja_sweep<<<grid, block, 0, stream>>>(work, out, n);
        if (k < 15) cudaMemcpyAsync(work, out, (size_t)n * n * 4, cudaMemcpyDeviceToDevice, stream);
    }
}
