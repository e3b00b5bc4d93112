// kernelwright: task=relu.py entry=relu
#include <cuda_runtime.h>

void relu(const float* x, float* y, int n) {
    // To be drafted: y = max(x, 0).
}
