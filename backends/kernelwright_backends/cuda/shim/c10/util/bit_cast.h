#pragma once

#include <c10/macros/Macros.h>

#include <cstring>
#include <type_traits>

namespace c10 {

template <class To, class From>
C10_HOST_DEVICE To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From> && std::is_trivially_copyable_v<To>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace c10
