#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/WrapDimMinimal.h>

namespace at {

using c10::maybe_wrap_dim;
inline std::int64_t maybe_wrap_dim(std::int64_t d, const Tensor& x) { return c10::maybe_wrap_dim(d, x.dim()); }

}  // namespace at
