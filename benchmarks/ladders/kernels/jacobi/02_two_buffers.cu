// kernelwright: task=../../tasks/jacobi.py entry=jacobi args="x, out, x.shape[0]"
// a launch a sweep, two buffers in turn
#include <cuda_runtime.h>

__global__ void ja_turn(const float* x, float* y, int n) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, i = r * n + c;
    if (c >= n || r >= n) return;
    bool inside = c > 0 && c < n - 1 && r > 0 && r < n - 1;
    y[i] = inside ? 0.25f * (x[i + n] + x[i - n] + x[i + 1] + x[i - 1]) : x[i];
}
__device__ float ja_other[1024 * 1024];
extern "C" void jacobi(const float* x, float* out, int n, cudaStream_t stream) {
    float* work;
    cudaGetSymbolAddress((void**)&work, ja_other);
    dim3 grid((n + 31) / 32, (n + 7) / 8), block(32, 8);
    const float* from = x;
    for (int k = 0; k < 16; ++k) {
        float* to = k % 2 ? out : work;
        ja_turn<<<grid, block, 0, stream>>>(from, to, n);
        from = to;
    }
}
