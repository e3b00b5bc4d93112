// A size that PyTorch may know only by a name while it compiles; here it is always a number.
#pragma once

#include <c10/util/ArrayRef.h>

#include <cstdint>

namespace c10 {

class SymInt {
 public:
  constexpr SymInt() = default;
  constexpr SymInt(std::int64_t value) : value_(value) {}
  constexpr operator std::int64_t() const { return value_; }
  constexpr std::int64_t expect_int() const { return value_; }
  constexpr std::int64_t guard_int(const char*, std::int64_t) const { return value_; }
  constexpr bool is_symbolic() const { return false; }

 private:
  std::int64_t value_ = 0;
};
using SymIntArrayRef = ArrayRef<SymInt>;

}  // namespace c10

namespace at {
using c10::SymInt;
using c10::SymIntArrayRef;
}  // namespace at
