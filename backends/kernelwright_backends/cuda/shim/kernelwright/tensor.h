// How a runner's descriptors become the arguments of a `tensor` entry, and how its results become descriptors.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Keeps a result alive until kw_release_results().
extern "C" void kw_keep_result(at::TensorImpl* result);

// A tensor on the device over memory that the runner owns.
inline at::Tensor kw_wrap(const kw_tensor& view) { return at::Tensor(kw_tensor_wrap(&view)); }

// The descriptor of a tensor, which goes on owning its memory. An undefined tensor has no data and dtype -1.
inline void kw_unwrap(const at::Tensor& tensor, kw_tensor* view) {
  if (tensor.defined()) {
    *view = tensor.unsafeGetTensorImpl()->view;
  } else {
    *view = kw_tensor{nullptr, -1, 0, {}, {}};
  }
}

namespace kw {

// An entry's tensor parameter, whatever form it has: at::Tensor, a reference to one, or an optional one.
inline at::Tensor tensor_argument(const void* view) { return kw_wrap(*static_cast<const kw_tensor*>(view)); }

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_sequence = false;
template <class T, class A>
inline constexpr bool is_sequence<std::vector<T, A>> = true;
template <class T, std::size_t N>
inline constexpr bool is_sequence<std::array<T, N>> = true;

// Calls use(tensor) for each tensor of what an entry returned, in order: a tensor, an optional one, a tuple, a pair,
// an array or a vector of those.
template <class Result, class Use>
void for_each_result(const Result& result, Use& use) {
  if constexpr (std::is_same_v<Result, at::Tensor>) {
    use(result);
  } else if constexpr (is_optional<Result>) {
    if (result) for_each_result(*result, use);
  } else if constexpr (is_sequence<Result>) {
    for (const auto& each : result) for_each_result(each, use);
  } else {
    std::apply([&use](const auto&... each) { (for_each_result(each, use), ...); }, result);
  }
}

// Tells the runner of each tensor that an entry returned, by its number and descriptor.
template <class Result>
void hand_back(void (*returned)(int index, const void* view), const Result& result) {
  int index = 0;
  auto use = [&](const at::Tensor& tensor) {
    kw_tensor view;
    kw_unwrap(tensor, &view);
    if (tensor.defined()) kw_keep_result(tensor.unsafeGetTensorImpl());
    returned(index++, &view);
  };
  for_each_result(result, use);
}

}  // namespace kw
