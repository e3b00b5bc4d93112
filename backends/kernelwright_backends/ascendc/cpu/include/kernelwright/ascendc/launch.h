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

namespace kw {

// The arguments are evaluated once, by the host; each core gets them by the kernel's own parameters.
template <class Kernel>
struct Launcher {
  uint32_t blocks;
  const char *name, *kind;
  kw_place at;
  Kernel kernel;
  template <class... A>
  void operator()(A&&... arguments) {
    launch(blocks, name, kind, at, [&]() { kernel(arguments...); });
  }
};
template <class Kernel>
Launcher<Kernel> launcher(uint32_t blocks, const char* name, const char* kind, kw_place at, Kernel kernel) {
  return {blocks, name, kind, at, kernel};
}

}  // namespace kw

#define KW_LAUNCH(blocks, name, kind, ...) \
  ::kw::launcher(uint32_t(blocks), name, kind, {__FILE__, __LINE__}, [&](auto&&... kw_given) { __VA_ARGS__(kw_given...); })
