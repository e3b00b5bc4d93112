// The bounds of a type on the device: of floating-point types their infinities beside their largest numbers.
#pragma once

#include <ATen/ATen.h>

#include <limits>

namespace at {

template <class T>
struct numeric_limits {
  static inline __host__ __device__ T lowest() { return std::numeric_limits<T>::lowest(); }
  static inline __host__ __device__ T max() { return std::numeric_limits<T>::max(); }
  static inline __host__ __device__ T lower_bound() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : lowest();
  }
  static inline __host__ __device__ T upper_bound() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : max();
  }
};

}  // namespace at
