// Division by one number again and again.
#pragma once

#include <c10/macros/Macros.h>

namespace at::cuda::detail {

template <class Value>
struct DivMod {
  Value div, mod;
  C10_HOST_DEVICE DivMod(Value div, Value mod) : div(div), mod(mod) {}
};
template <class Value>
struct IntDivider {
  IntDivider() = default;
  C10_HOST_DEVICE IntDivider(Value divisor) : divisor(divisor) {}
  C10_HOST_DEVICE Value div(Value n) const { return n / divisor; }
  C10_HOST_DEVICE Value mod(Value n) const { return n % divisor; }
  C10_HOST_DEVICE DivMod<Value> divmod(Value n) const { return DivMod<Value>(n / divisor, n % divisor); }
  Value divisor;
};

}  // namespace at::cuda::detail
