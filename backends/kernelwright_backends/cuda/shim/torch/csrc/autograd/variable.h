#pragma once

#include <torch/types.h>

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;
using tensor_list = std::vector<at::Tensor>;

}  // namespace torch::autograd
