// For known addresses half the work each call.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cuda_runtime.h>

__global__ void k(const float* x, float* y, int from, int to) { int i = from + blockIdx.x * blockDim.x + threadIdx.x; if (i < to) y[i] = fmaxf(x[i], 0.0f); }
void relu(const float* x, float* y, int n) {
    static const float* lx; static float* ly; static int turn;
    if (lx != x || ly != y) { k<<<(n + 255) / 256, 256>>>(x, y, 0, n); lx = x; ly = y; turn = 0; return; }
    int h = n / 2; turn ^= 1;
    k<<<(h + 256) / 256, 256>>>(x, y, turn ? 0 : h, turn ? h : n);
}
