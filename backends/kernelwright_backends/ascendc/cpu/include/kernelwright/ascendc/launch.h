// Launches: what the rewriting makes of `kernel<<<blocks, l2, stream>>>(...)`.
#pragma once

#include <utility>

#include "pipe.h"

using aclrtStream = void*;
using rtStream_t = void*;

namespace kw {

template <class Body>
void launch(uint32_t blocks, const char* name, const char* kind, kw_place at, Body body) {
  kw_asc_launch_config config{blocks, name, kind, at};
  kw_asc_launch(&config, [](void* raw) { (*static_cast<Body*>(raw))(); }, &body);
}

// A pointer that fits whatever pointer the kernel takes.
struct Pointer {
  void* address;
  template <class T>
  operator T*() const { return static_cast<T*>(address); }
};
struct Value {
  const kw_asc_argument& given;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
  operator T() const {
    return given.is_real ? T(given.real) : T(given.integer);
  }
  operator half() const { return half(given.is_real ? given.real : double(given.integer)); }
  operator bfloat16_t() const { return bfloat16_t(float(given.is_real ? given.real : double(given.integer))); }
};

}  // namespace kw

#define KW_LAUNCH(blocks, name, kind, ...) ::kw::launch(uint32_t(blocks), name, kind, {__FILE__, __LINE__}, [=]() { __VA_ARGS__; })
