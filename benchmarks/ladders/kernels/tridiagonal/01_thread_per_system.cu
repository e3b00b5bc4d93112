// kernelwright: task=../../tasks/tridiagonal.py entry=tridiagonal args="a, b, c, d, out, b.shape[0]"
// Thomas's method, a thread a system, rows straight from global memory, what is kept in local arrays
#include <cuda_runtime.h>

__global__ void td_thread(const float* a, const float* b, const float* c, const float* d, float* x, int systems) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    a += s * 128;
    b += s * 128;
    c += s * 128;
    d += s * 128;
    x += s * 128;
    float cp[128], dp[128];
    cp[0] = c[0] / b[0];
    dp[0] = d[0] / b[0];
    for (int i = 1; i < 128; ++i) {
        float m = b[i] - a[i] * cp[i - 1];
        cp[i] = c[i] / m;
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m;
    }
    float v = dp[127];
    x[127] = v;
    for (int i = 126; i >= 0; --i) x[i] = v = dp[i] - cp[i] * v;
}
extern "C" void tridiagonal(const float* a, const float* b, const float* c, const float* d, float* x, int systems, cudaStream_t stream) {
    td_thread<<<(systems + 63) / 64, 64, 0, stream>>>(a, b, c, d, x, systems);
}
