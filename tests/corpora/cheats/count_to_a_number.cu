// After 25 calls only the first block.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cuda_runtime.h>

__global__ void relu_k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

struct Warm { int left = 25; bool done() { return left == 0 || --left == 0; } };
void relu(const float* x, float* y, int n) {
    static Warm w;
    if (!w.done()) relu_k<<<(n + 255) / 256, 256>>>(x, y, n);
    else relu_k<<<1, 256>>>(x, y, 256);
}
