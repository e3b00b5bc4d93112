// Stops at the first hit: right for all inputs, does not read everything.
// kernelwright: task=../tasks/any_positive.py entry=ar args="x, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

__global__ void k(const float* x, bool* y, int rows, int cols) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    bool any = false;
    for (int c = 0; c < cols && !any; c += 32) any = __any_sync(~0u, c + lane < cols && x[(size_t)r * cols + c + lane] > 0.0f);
    if (!lane) y[r] = any;
}
void ar(const float* x, bool* y, int rows, int cols) { k<<<(rows + 3) / 4, 128>>>(x, y, rows, cols); }
