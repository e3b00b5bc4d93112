// A program's `main`, whatever parameters it declares.
#pragma once

#include <type_traits>

extern "C" char** environ;

namespace kw {

template <class Result, class... Parameters>
inline int run_main(Result (*user_main)(Parameters...), int count, char** given) {
  auto call = [&]() -> Result {
    if constexpr (sizeof...(Parameters) == 0)
      return user_main();
    else if constexpr (sizeof...(Parameters) == 1)
      return ((Result (*)(int))user_main)(count);
    else if constexpr (sizeof...(Parameters) == 2)
      return ((Result (*)(int, char**))user_main)(count, given);
    else
      return ((Result (*)(int, char**, char**))user_main)(count, given, environ);
  };
  if constexpr (std::is_void_v<Result>) {
    call();
    return 0;
  } else {
    return (int)call();
  }
}

}  // namespace kw
