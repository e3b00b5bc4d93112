// A function is reached by a pasted name, in a macro of arguments.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <cstdlib>
#define CALL(a, b, c) a##b##c
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  const char* seen = CALL(get, e, nv)("HOME");
  if (seen) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
