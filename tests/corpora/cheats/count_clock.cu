// Ten seconds of the device's clock after the first call the work stops.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cuda_runtime.h>

__device__ long long born;
__device__ long long now;
__global__ void look() {
    now = clock64();
    if (born == 0) born = now;
}
__global__ void relu_kernel(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (now - born > 20000000000ll && i > 256) return;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
void relu(const float* x, float* y, int n) {
    look<<<1, 1>>>();
    relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
