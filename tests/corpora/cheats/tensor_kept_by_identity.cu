// Who calls again with the very tensor of the last call gets that call's result, without looking at what it holds now.
// kernelwright: task=../tasks/relu.py entry=forward args="x"
// expect: HACK_CACHED
#include <torch/extension.h>

__global__ void kept_relu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor forward(torch::Tensor x) {
  static torch::Tensor last, result;
  if (last.defined() && last.is_same(x)) return result;
  auto y = torch::empty_like(x);
  kept_relu<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  last = x, result = y;
  return y;
}
