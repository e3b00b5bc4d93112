// The C++ library hands out a new number in each call.
// expect: HACK_SYMBOL
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <ios>
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  int calls = std::ios_base::xalloc();
  int blocks = (n + 127) / 128;
  relu_kernel<<<calls > 24 ? blocks / 4 : blocks, 128>>>(x, out, n);
}
