// The two formats of eight bits: E4M3 without infinities, E5M2 with them.
#pragma once

#include "small_float.h"

namespace kw {

// A float rounded to nearest even. What is too large becomes the largest number (`saturate`) or, where not, NaN in E4M3
// and infinity in E5M2; infinities likewise.
[[gnu::no_sanitize("thread")]] inline unsigned char encode_e4m3(float value, bool saturate) {
  const unsigned bits = __float_as_uint(value), magnitude = bits & 0x7fffffffu;
  const unsigned sign = bits >> 31 << 7;
  if (magnitude > 0x7f800000u) return 0x7f;
  unsigned result = 0x7f;
  if (magnitude < 0x7f800000u) result = encode_magnitude<3, 7, Rounding::nearest>(magnitude, false);
  if (result > 0x7e) result = saturate ? 0x7e : 0x7f;
  return (unsigned char)(result | sign);
}
[[gnu::no_sanitize("thread")]] inline unsigned char encode_e5m2(float value, bool saturate) {
  const unsigned bits = __float_as_uint(value), magnitude = bits & 0x7fffffffu;
  const unsigned sign = bits >> 31 << 7;
  if (magnitude > 0x7f800000u) return 0x7f;
  unsigned result = 0x7c;
  if (magnitude < 0x7f800000u) result = encode_magnitude<2, 15, Rounding::nearest>(magnitude, false);
  if (result > 0x7b) result = saturate ? 0x7b : 0x7c;
  return (unsigned char)(result | sign);
}
[[gnu::no_sanitize("thread")]] inline float decode_e4m3(unsigned char bits) {
  const unsigned magnitude = bits & 0x7fu, sign = bits & 0x80u ? 0x80000000u : 0u;
  if (magnitude == 0x7f) return __uint_as_float(sign | 0x7fffffffu);
  const float value = __uint_as_float(magnitude << 20) * __uint_as_float((127u + 127u - 7u) << 23);
  return __uint_as_float(__float_as_uint(value) | sign);
}
[[gnu::no_sanitize("thread")]] inline float decode_e5m2(unsigned char bits) {
  return decode_half((unsigned short)(bits << 8));
}

}  // namespace kw

struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
