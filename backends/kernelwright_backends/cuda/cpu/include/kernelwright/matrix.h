// Products of small matrices whose elements are spread over the registers of a warp: what mma.sync and WMMA compute.
#pragma once

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "fp8.h"
#include "group.h"

namespace kw {

// A float whose last thirteen bits do not count.
struct TensorFloat {
  float value;
};

// Integers of four bits.
struct Int4 {
  uint8_t bits;
};
struct UInt4 {
  uint8_t bits;
};

// The element `index` of registers that are packed with elements of a type.
template <class T>
struct Packed;
#define KW_PACKED(T, BITS, WIDE, DECODE)                                    \
  template <>                                                               \
  struct Packed<T> {                                                        \
    static constexpr unsigned per_register = 32 / BITS;                     \
    using Wide = WIDE;                                                      \
    KW_QUIET static WIDE get(const uint32_t* registers, unsigned index) {   \
      uint32_t raw = registers[index / per_register] >> (index % per_register * BITS); \
      return DECODE;                                                        \
    }                                                                       \
  };
KW_PACKED(__half, 16, double, decode_half((unsigned short)raw))
KW_PACKED(__nv_bfloat16, 16, double, decode_bfloat16((unsigned short)raw))
KW_PACKED(TensorFloat, 32, double, __uint_as_float(raw & 0xffffe000u))
KW_PACKED(int8_t, 8, int64_t, (int8_t)raw)
KW_PACKED(uint8_t, 8, int64_t, (uint8_t)raw)
KW_PACKED(Int4, 4, int64_t, (int8_t)(raw << 4) >> 4)
KW_PACKED(UInt4, 4, int64_t, raw & 15)
KW_PACKED(__nv_fp8_e4m3, 8, double, decode_e4m3((unsigned char)raw))
KW_PACKED(__nv_fp8_e5m2, 8, double, decode_e5m2((unsigned char)raw))
#undef KW_PACKED

// What a product of such elements is to the device's matrix unit.
template <class T>
constexpr int kind_of_product() {
  if (std::is_same_v<T, TensorFloat>) return KW_PRODUCT_TF32;
  return Packed<T>::per_register >= 4 ? KW_PRODUCT_8 : KW_PRODUCT_16;
}

// An accumulator's element, read and written.
template <class T>
struct Accumulated;
template <>
struct Accumulated<float> {
  static constexpr unsigned registers = 4;
  KW_QUIET static float get(const uint32_t* from, unsigned i) { return __uint_as_float(from[i]); }
  KW_QUIET static void put(uint32_t* to, unsigned i, double value) { to[i] = __float_as_uint((float)value); }
};
template <>
struct Accumulated<int32_t> {
  static constexpr unsigned registers = 4;
  KW_QUIET static int64_t get(const uint32_t* from, unsigned i) { return (int32_t)from[i]; }
  KW_QUIET static void put(uint32_t* to, unsigned i, int64_t value) { to[i] = (uint32_t)value; }
};
template <>
struct Accumulated<__half> {
  static constexpr unsigned registers = 2;
  KW_QUIET static float get(const uint32_t* from, unsigned i) { return decode_half((unsigned short)(from[i / 2] >> (i % 2 * 16))); }
  KW_QUIET static void put(uint32_t* to, unsigned i, double value) {
    uint32_t bits = __half(value).__x, shift = i % 2 * 16;
    to[i / 2] = (to[i / 2] & ~(0xffffu << shift)) | bits << shift;
  }
};

// mma.sync.aligned.m16n8kK, and m8n8kK of small integers: with g = lane / 4 and t = lane % 4 a register of A holds columns
// each * t + ... of row g (+ 8), one of B rows of column g, the accumulators columns 2 t and 2 t + 1 of rows g (and g + 8).
template <unsigned M, unsigned K, class A, class B, class C, class D, bool saturates = false>
struct WarpProduct {
  static constexpr unsigned each = Packed<A>::per_register, halves = K / (4 * each), tall = M / 8;
  static_assert((halves == 1 || halves == 2) && (tall == 1 || tall == 2), "no such shape");
  uint32_t a[tall * halves], b[halves], c[Accumulated<C>::registers * tall / 2], d[Accumulated<D>::registers * tall / 2];

  KW_UNSEEN static void combine(void* const* data, unsigned members) {
    using Wide = typename Packed<A>::Wide;
    Wide left[M][K] = {}, right[K][8] = {};
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(members >> lane & 1)) continue;
      auto& mine = *static_cast<WarpProduct*>(data[lane]);
      unsigned g = lane / 4, t = lane % 4;
      for (unsigned r = 0; r < tall * halves; ++r)
        for (unsigned j = 0; j < each; ++j)
          left[g + 8 * (r % tall)][t * each + j + r / tall * 4 * each] = Packed<A>::get(mine.a, r * each + j);
      for (unsigned r = 0; r < halves; ++r)
        for (unsigned j = 0; j < each; ++j) right[t * each + j + r * 4 * each][g] = Packed<B>::get(mine.b, r * each + j);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(members >> lane & 1)) continue;
      auto& mine = *static_cast<WarpProduct*>(data[lane]);
      for (unsigned i = 0; i < 2 * tall; ++i) {
        unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
        Wide sum = Accumulated<C>::get(mine.c, i);
        for (unsigned k = 0; k < K; ++k) sum += left[row][k] * right[k][column];
        if constexpr (saturates) sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
        Accumulated<D>::put(mine.d, i, sum);
      }
    }
  }
};

}  // namespace kw
