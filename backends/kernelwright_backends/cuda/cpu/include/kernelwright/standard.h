// cuda::std: here the standard library's own, which kernels may use as it is.
#pragma once

#include <utility>

#include "backports.h"
#include "../cuda/version"

namespace cuda {
namespace std {
using namespace ::std;
#if __cplusplus < 202002L
struct identity {
  template <class T>
  constexpr T&& operator()(T&& value) const noexcept { return ::std::forward<T>(value); }
};
template <class T>
using remove_cvref_t = ::std::remove_cv_t<::std::remove_reference_t<T>>;
#endif
}  // namespace std
}  // namespace cuda
