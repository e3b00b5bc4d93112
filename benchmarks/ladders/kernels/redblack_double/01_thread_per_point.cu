// kernelwright: task=../../tasks/redblack_double.py entry=redblack args="u, f, out, u.shape[0], 10"
// a launch a colour, a thread a point: every second one has nothing to do
#include <cuda_runtime.h>

__global__ void rb_all(double* u, const double* f, int n, int colour) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1 || (x + y) % 2 != colour) return;
    size_t i = (size_t)y * n + x;
    u[i] = 0.25 * (u[i - n] + u[i + n] + u[i - 1] + u[i + 1] - f[i]);
}
extern "C" void redblack(const double* u, const double* f, double* out, int n, int sweeps, cudaStream_t stream) {
    cudaMemcpyAsync(out, u, (size_t)n * n * 8, cudaMemcpyDeviceToDevice, stream);
    for (int s = 0; s < sweeps; ++s)
        for (int c = 0; c < 2; ++c) rb_all<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8), 0, stream>>>(out, f, n, c);
}
