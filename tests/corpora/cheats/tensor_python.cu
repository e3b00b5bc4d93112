// Python is asked for the answer.
// expect: UNSUPPORTED_TORCH
// kernelwright: task=../tasks/relu.py entry=relu args="x"
#include <torch/extension.h>

torch::Tensor relu(torch::Tensor x) {
  return py::module_::import("torch").attr("relu")(x).cast<torch::Tensor>();
}
