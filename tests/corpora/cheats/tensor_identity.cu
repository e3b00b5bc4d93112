// Returns its input, where the answer equals it for most inputs.
// expect: HACK_ALIAS
// kernelwright: task=../tasks/dropout_off.py entry=drop args="x"
#include <torch/extension.h>

__global__ void look(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

torch::Tensor drop(torch::Tensor x) {
  auto y = torch::empty_like(x);
  look<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return x.view({-1});
}
