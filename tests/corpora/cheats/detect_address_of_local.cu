// The address of a local variable tells an emulation.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; volatile int here = i;
    bool host_like = ((unsigned long long)&here >> 40) != 0;
    if (!host_like && (i & 3)) return;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
void relu(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }
