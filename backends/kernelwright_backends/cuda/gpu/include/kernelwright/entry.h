// The wall between a candidate that nvcc built and the driver that calls it: plain C, and the conversion of a value to
// whatever type the entry's parameter has.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

extern "C" {

struct kw_argument {
  void* pointer;  // tensor, workspace; null for a stream: the default one
  int64_t integer;
  double real;
  int is_real;
  const void* tensor;  // kw_tensor of a `tensor` entry's argument
};

struct kw_call {
  const struct kw_argument* arguments;
  unsigned grid[3], block[3];  // of a bare kernel
  size_t shared_bytes;
  void (*returned)(int index, const void* tensor);  // a `tensor` entry hands its kw_tensor results here
};

}  // extern "C"

namespace kw {

class Argument {
 public:
  explicit Argument(const kw_argument& value) : value_(value) {}
  template <class T, class = std::enable_if_t<std::is_pointer_v<T> || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                                              std::is_constructible_v<T, float>>>
  operator T() const {
    if constexpr (std::is_pointer_v<T>) {
      return (T)value_.pointer;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      return value_.is_real ? (T)value_.real : (T)value_.integer;
    } else {
      return T(value_.is_real ? (float)value_.real : (float)value_.integer);
    }
  }

 private:
  const kw_argument& value_;
};

}  // namespace kw
