#pragma once

#include <c10/core/ScalarType.h>

namespace at {

// The type in which an element type is computed with: float for the ones of one and two bytes.
template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<c10::Half> {
  using type = float;
};
template <>
struct OpMathType<c10::BFloat16> {
  using type = float;
};
template <>
struct OpMathType<c10::Float8_e4m3fn> {
  using type = float;
};
template <>
struct OpMathType<c10::Float8_e5m2> {
  using type = float;
};
template <>
struct OpMathType<__half> {
  using type = float;
};
template <>
struct OpMathType<__nv_bfloat16> {
  using type = float;
};
template <>
struct OpMathType<c10::complex<c10::Half>> {
  using type = c10::complex<float>;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;

constexpr ScalarType toOpMathType(ScalarType type) {
  return isReducedFloatingType(type) ? kFloat : type == kComplexHalf ? kComplexFloat : type;
}

}  // namespace at
