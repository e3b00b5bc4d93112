// The functional interface.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor relu(torch::Tensor x) { return torch::nn::functional::relu(x); }
