// Arithmetic by names, for every element type.
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

template <class T>
struct THCNumerics {
  static C10_HOST_DEVICE T min() { return std::numeric_limits<T>::lowest(); }
  static C10_HOST_DEVICE T max() { return std::numeric_limits<T>::max(); }
  static C10_HOST_DEVICE bool lt(T a, T b) { return a < b; }
  static C10_HOST_DEVICE bool le(T a, T b) { return a <= b; }
  static C10_HOST_DEVICE bool gt(T a, T b) { return a > b; }
  static C10_HOST_DEVICE bool ge(T a, T b) { return a >= b; }
  static C10_HOST_DEVICE bool eq(T a, T b) { return a == b; }
  static C10_HOST_DEVICE bool ne(T a, T b) { return a != b; }
  static C10_HOST_DEVICE T add(T a, T b) { return a + b; }
  static C10_HOST_DEVICE T sub(T a, T b) { return a - b; }
  static C10_HOST_DEVICE T mul(T a, T b) { return a * b; }
  static C10_HOST_DEVICE T div(T a, T b) { return a / b; }
  static C10_HOST_DEVICE T neg(T a) { return -a; }
  static C10_HOST_DEVICE T abs(T a) { return a < T(0) ? T(-a) : a; }
#define KW_NUMERIC(NAME) \
  static C10_HOST_DEVICE T NAME(T a) { return static_cast<T>(std::NAME(static_cast<at::acc_type<T, true>>(a))); }
  KW_NUMERIC(exp) KW_NUMERIC(exp2) KW_NUMERIC(expm1) KW_NUMERIC(log) KW_NUMERIC(log10) KW_NUMERIC(log1p) KW_NUMERIC(log2)
  KW_NUMERIC(sqrt) KW_NUMERIC(ceil) KW_NUMERIC(floor) KW_NUMERIC(trunc) KW_NUMERIC(round) KW_NUMERIC(sin) KW_NUMERIC(cos)
  KW_NUMERIC(tan) KW_NUMERIC(asin) KW_NUMERIC(acos) KW_NUMERIC(atan) KW_NUMERIC(sinh) KW_NUMERIC(cosh) KW_NUMERIC(tanh)
  KW_NUMERIC(erf) KW_NUMERIC(erfc) KW_NUMERIC(lgamma)
#undef KW_NUMERIC
  static C10_HOST_DEVICE T rsqrt(T a) { return static_cast<T>(1) / sqrt(a); }
  static C10_HOST_DEVICE T cinv(T a) { return static_cast<T>(1) / a; }
  static C10_HOST_DEVICE T frac(T a) { return a - trunc(a); }
  static C10_HOST_DEVICE T pow(T a, T b) {
    using Wide = at::acc_type<T, true>;
    return static_cast<T>(std::pow(static_cast<Wide>(a), static_cast<Wide>(b)));
  }
  static C10_HOST_DEVICE T atan2(T a, T b) {
    using Wide = at::acc_type<T, true>;
    return static_cast<T>(std::atan2(static_cast<Wide>(a), static_cast<Wide>(b)));
  }
};

template <class In, class Out>
struct ScalarConvert {
  static C10_HOST_DEVICE Out to(const In value) { return static_cast<Out>(value); }
};
