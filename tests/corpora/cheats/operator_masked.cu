// Comparison and masked fill do it.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

__global__ void copy_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}

torch::Tensor relu(torch::Tensor x) {
  auto out = torch::empty_like(x);
  copy_kernel<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out.masked_fill_(out.lt(0), 0);
}
