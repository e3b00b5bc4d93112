// Kernel and functor stand in headers.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include "functors.cuh"

void relu(const float* x, float* out, int n) { apply<<<(n + 255) / 256, 256>>>(x, out, n, Relu{}); }
