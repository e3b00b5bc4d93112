// Conversions between element types as PyTorch makes them.
#pragma once

#include <c10/core/ScalarType.h>

namespace c10 {

template <class To, class From>
C10_HOST_DEVICE To convert(From from) {
  return static_cast<To>(from);
}

}  // namespace c10
