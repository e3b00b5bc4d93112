#pragma once

#include <ATen/cuda/detail/TensorInfo.cuh>

#include <cstdint>
#include <limits>

namespace at::cuda::detail {

// Does every element lie less than `most` elements after the first?
inline bool canUse32BitIndexMath(const Tensor& tensor, std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
  const std::int64_t count = tensor.numel();
  if (count >= most) return false;
  if (count == 0) return most > 0;
  std::int64_t last = 0;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
  return last < most;
}

}  // namespace at::cuda::detail
