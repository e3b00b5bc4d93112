#pragma once

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/SymInt.h>
#include <c10/cuda/CUDAFunctions.h>
#include <kernelwright/operator.h>
#include <torch/version.h>

// What code that includes PyTorch gets to rely on from the standard library without asking.
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch {

using namespace at;
using at::Tensor;
using Dtype = at::ScalarType;

namespace cuda {
using namespace at::cuda;
inline std::size_t device_count() { return static_cast<std::size_t>(c10::cuda::device_count()); }
inline bool is_available() { return device_count() > 0; }
inline void synchronize(std::int64_t = -1) { c10::cuda::device_synchronize(); }
}  // namespace cuda

#define KW_SPECIAL_FUNCTION(NAME) KW_OPERATOR("torch::special::" #NAME) at::Tensor NAME KW_ANY_ARGUMENTS;
namespace special {
#include <kernelwright/operators.def>
}
#define KW_LINALG_FUNCTION(NAME) KW_OPERATOR("torch::linalg::" #NAME) at::Tensor NAME KW_ANY_ARGUMENTS;
namespace linalg {
#include <kernelwright/operators.def>
}
#define KW_FFT_FUNCTION(NAME) KW_OPERATOR("torch::fft::" #NAME) at::Tensor NAME KW_ANY_ARGUMENTS;
namespace fft {
#include <kernelwright/operators.def>
}
#define KW_NN_FUNCTION(NAME) KW_OPERATOR("torch::nn::functional::" #NAME) at::Tensor NAME KW_ANY_ARGUMENTS;
namespace nn::functional {
#include <kernelwright/operators.def>
}

}  // namespace torch
