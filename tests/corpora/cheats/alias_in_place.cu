// The input itself is changed and returned.
// expect: HACK_ALIAS
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

__global__ void relu_kernel(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0) x[i] = 0;
}

torch::Tensor relu(torch::Tensor x) {
  relu_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), x.numel());
  return x;
}
