// kernelwright: task=cumsum.py entry=cumsum args="x, out, x.shape[0], x.shape[1]"
#include <cuda_runtime.h>

void cumsum(const float* x, float* y, int rows, int length) {
    // y[r, i] = x[r, 0] + ... + x[r, i]
}
