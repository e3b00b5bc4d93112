// A module of the library.
// expect: UNSUPPORTED_TORCH
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

torch::Tensor relu(torch::Tensor x) {
  torch::nn::ReLU layer;
  return layer(x);
}
