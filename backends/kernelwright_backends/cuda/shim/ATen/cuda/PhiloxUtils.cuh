#pragma once

#include <ATen/cuda/PhiloxCudaState.h>
#include <c10/macros/Macros.h>

#include <tuple>

namespace at::cuda::philox {

KW_HOST_DEVICE inline std::tuple<std::uint64_t, std::uint64_t> unpack(at::PhiloxCudaState state) {
  return std::make_tuple(state.seed_.val, state.offset_.val);
}

}  // namespace at::cuda::philox
