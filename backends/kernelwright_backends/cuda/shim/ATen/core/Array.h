// An array of fixed length that kernels take by value.
#pragma once

#include <c10/macros/Macros.h>

namespace at::detail {

template <class T, int size_>
struct Array {
  T data[size_];

  C10_HOST_DEVICE T operator[](int i) const { return data[i]; }
  C10_HOST_DEVICE T& operator[](int i) { return data[i]; }
  Array() = default;
  C10_HOST_DEVICE Array(T x) {
    for (int i = 0; i < size_; ++i) data[i] = x;
  }
  static constexpr int size() { return size_; }
};

}  // namespace at::detail
