#pragma once

#include <c10/macros/Macros.h>

namespace at {

template <class T>
constexpr KW_HOST_DEVICE T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
template <class T>
constexpr KW_HOST_DEVICE T round_up(T a, T b) {
  return ceil_div(a, b) * b;
}

}  // namespace at

namespace c10 {
using at::ceil_div;
}  // namespace c10
