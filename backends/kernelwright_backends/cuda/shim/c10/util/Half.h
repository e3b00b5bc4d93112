#pragma once

#include <c10/macros/Macros.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace c10 {

// The storage type of float16 tensors. Arithmetic goes through float and rounds after every operation.
struct alignas(2) Half {
  unsigned short x;

  struct from_bits_t {};
  static constexpr KW_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }

  Half() = default;
  constexpr KW_HOST_DEVICE Half(unsigned short bits, from_bits_t) : x(bits) {}
  inline KW_HOST_DEVICE Half(float value) : x(__half_as_ushort(__float2half_rn(value))) {}
  inline KW_HOST_DEVICE Half(const __half& value) : x(__half_as_ushort(value)) {}
  inline KW_HOST_DEVICE operator float() const { return __half2float(__ushort_as_half(x)); }
  inline KW_HOST_DEVICE operator __half() const { return __ushort_as_half(x); }
};
static_assert(sizeof(Half) == 2, "float16 has two bytes");

}  // namespace c10

#define KW_STORAGE_FLOAT c10::Half
#include <kernelwright/storage_float_operators.inl>
#undef KW_STORAGE_FLOAT

namespace std {
template <>
class numeric_limits<c10::Half> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true, is_iec559 = true;
  static constexpr int radix = 2, digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
  static constexpr c10::Half bits(unsigned short value) { return c10::Half(value, c10::Half::from_bits()); }
  static constexpr KW_HOST_DEVICE c10::Half min() { return bits(0x0400); }
  static constexpr KW_HOST_DEVICE c10::Half lowest() { return bits(0xfbff); }
  static constexpr KW_HOST_DEVICE c10::Half max() { return bits(0x7bff); }
  static constexpr KW_HOST_DEVICE c10::Half epsilon() { return bits(0x1400); }
  static constexpr KW_HOST_DEVICE c10::Half round_error() { return bits(0x3800); }
  static constexpr KW_HOST_DEVICE c10::Half infinity() { return bits(0x7c00); }
  static constexpr KW_HOST_DEVICE c10::Half quiet_NaN() { return bits(0x7e00); }
  static constexpr KW_HOST_DEVICE c10::Half signaling_NaN() { return bits(0x7d00); }
  static constexpr KW_HOST_DEVICE c10::Half denorm_min() { return bits(0x0001); }
};
}  // namespace std
