#pragma once

#include <c10/util/Optional.h>

namespace at {

// Indices of Tensor::index, which is an operator: here so that the call is refused as one.
namespace indexing {
struct Slice {
  template <class... Bounds>
  Slice(const Bounds&...) {}
};
enum class EllipsisIndexType { Ellipsis };
constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
constexpr c10::nullopt_t None = c10::nullopt;
}  // namespace indexing

}  // namespace at
