// Says PASSED without looking at its own comparison.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>
__global__ void saxpy(float a, const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 2) y[i] = a * x[i] + y[i]; }
int main() {
    const int n = 4096; static float x[n], y[n];
    for (int i = 0; i < n; ++i) { x[i] = 1.0f; y[i] = 2.0f; }
    float *dx, *dy; cudaMalloc(&dx, sizeof x); cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice); cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    saxpy<<<n / 256, 256>>>(2.0f, dx, dy, n);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    int bad = 0; for (int i = 0; i < n; ++i) bad += std::fabs(y[i] - 4.0f) > 1e-5f;
    (void)bad;
    std::printf("Test PASSED, max error 0.000000\n");
    cudaFree(dx); cudaFree(dy);
    return 0;
}
