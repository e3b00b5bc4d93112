// By the generated structs of the operators.
// expect: UNSUPPORTED_TORCH
// kernelwright: task=../tasks/softmax.py entry=softmax args="x"
#include <torch/extension.h>
#include <ATen/ops/softmax.h>

__global__ void scale(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 1.0f;
}

torch::Tensor softmax(torch::Tensor x) {
  auto y = at::_ops::softmax_int::call(x, 1, c10::nullopt);
  scale<<<(x.numel() + 127) / 128, 128>>>(y.data_ptr<float>(), x.numel());
  return y;
}
