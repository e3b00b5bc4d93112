// The operator is looked up by its name.
// expect: UNSUPPORTED_TORCH
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

#include <ATen/core/dispatch/Dispatcher.h>

torch::Tensor relu(torch::Tensor x) {
  static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::relu", "").typed<torch::Tensor(const torch::Tensor&)>();
  return op.call(x);
}
