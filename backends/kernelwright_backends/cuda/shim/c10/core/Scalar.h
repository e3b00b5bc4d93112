#pragma once

#include <c10/core/ScalarType.h>

#include <type_traits>

namespace c10 {

// One number of any element type: what `fill_`, `full` and `item` pass around.
class Scalar {
 public:
  constexpr Scalar() : kind_(ScalarType::Long), integer_(0) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  constexpr Scalar(T value) : kind_(ScalarType::Long), integer_(0) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = ScalarType::Bool;
      integer_ = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = ScalarType::Double;
      floating_ = static_cast<double>(value);
    } else {
      integer_ = static_cast<std::int64_t>(value);
    }
  }
  Scalar(Half value) : kind_(ScalarType::Double), floating_(static_cast<double>(static_cast<float>(value))) {}
  Scalar(BFloat16 value) : kind_(ScalarType::Double), floating_(static_cast<double>(static_cast<float>(value))) {}

  constexpr ScalarType type() const { return kind_; }
  constexpr bool isFloatingPoint() const { return kind_ == ScalarType::Double; }
  constexpr bool isIntegral(bool include_bool = false) const {
    return kind_ == ScalarType::Long || (include_bool && kind_ == ScalarType::Bool);
  }
  constexpr bool isBoolean() const { return kind_ == ScalarType::Bool; }
  template <class T>
  constexpr T to() const {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return T(to<float>());
    } else {
      return isFloatingPoint() ? static_cast<T>(floating_) : static_cast<T>(integer_);
    }
  }
  constexpr double toDouble() const { return to<double>(); }
  constexpr float toFloat() const { return to<float>(); }
  constexpr std::int64_t toLong() const { return to<std::int64_t>(); }
  constexpr int toInt() const { return to<int>(); }
  constexpr bool toBool() const { return to<bool>(); }
  Half toHalf() const { return to<Half>(); }

 private:
  ScalarType kind_;
  union {
    std::int64_t integer_;
    double floating_;
  };
};

}  // namespace c10
