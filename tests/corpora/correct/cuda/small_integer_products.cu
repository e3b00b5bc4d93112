// Products of integers of four and eight bits by mma, with eight rows and with sixteen; packing and video instructions. The
// strings of assembly are continued by backslashes.
#include <climits>
#include <cstdint>

#include "../../check.cuh"

// Each thread fills its registers with the elements that the instruction's layout gives it.
template <int bits>
__device__ uint32_t packed(const int8_t* row, int column, int stride) {
  uint32_t word = 0;
  for (int i = 0; i < 32 / bits; ++i) word |= ((uint32_t)row[(column + i) * stride] & ((1u << bits) - 1)) << (bits * i);
  return word;
}
__global__ void eight_rows(const int8_t* a, const int8_t* b, int* c) {  // 8 x 16 times 16 x 8
  int g = threadIdx.x / 4, t = threadIdx.x % 4, d0 = 1, d1 = 1;
  uint32_t left = packed<8>(a + g * 16, 4 * t, 1), right = packed<8>(b + g, 4 * t, 8);
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 \
                {%0, %1}, \
                {%2}, {%3}, \
                {%0, %1};" : "+r"(d0), "+r"(d1) : "r"(left), "r"(right));
  c[g * 8 + 2 * t] = d0;
  c[g * 8 + 2 * t + 1] = d1;
}
__global__ void four_bits(const int8_t* a, const int8_t* b, int* c) {  // 16 x 64 times 64 x 8
  int g = threadIdx.x / 4, t = threadIdx.x % 4, d[4] = {};
  uint32_t l[4], r[2];
  for (int i = 0; i < 4; ++i) l[i] = packed<4>(a + (g + 8 * (i % 2)) * 64, 8 * t + i / 2 * 32, 1);
  for (int i = 0; i < 2; ++i) r[i] = packed<4>(b + g, 8 * t + 32 * i, 8);
  asm volatile("mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
  for (int i = 0; i < 4; ++i) c[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = d[i];
}
__global__ void saturated(int* c) {
  int d0 = INT_MAX - 5, d1 = INT_MIN + 5;
  uint32_t left = 0x01010101, right = threadIdx.x / 4 % 2 ? 0xffffffff : 0x01010101;
  asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(d0), "+r"(d1) : "r"(left), "r"(right));
  c[threadIdx.x * 2] = d0;
  c[threadIdx.x * 2 + 1] = d1;
}
// A number that a macro pastes into the text.
#define SHIFTED(to, from, by) asm("shl.b32 %0, %1, " #by ";" : "=r"(to) : "r"(from))
__global__ void others(unsigned* x) {
  SHIFTED(x[6], 5, 8);
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(x[7]) : "r"(0x01ff0203u), "r"(0xff01fe01u), "r"(10));
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(x[0]) : "r"(300), "r"(-7), "r"(0x1234));
  asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(x[1]) : "r"(-1), "r"(70000));
  asm("vshl.u32.u32.u32.clamp.add %0, %1, %2, %3;" : "=r"(x[2]) : "r"(3u), "r"(4u), "r"(5u));
  asm("vshr.u32.u32.u32.clamp.add %0, %1, %2, %3;" : "=r"(x[3]) : "r"(0x80u), "r"(40u), "r"(5u));
  asm("vadd.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(x[4]) : "r"(1u), "r"(2u), "r"(3u));
  asm("vmax.s32.s32.s32 %0, %1, %2;" : "=r"(x[5]) : "r"(-3), "r"(2));
  asm("vadd.u32.u32.u32 %0.h0, %1.h1, 0, %2;" : "=r"(x[8]) : "r"(0xabcd1234u), "r"(0x55556666u));
  asm("vadd.s32.s32.s32 %0, %1.b3, %2.b0;" : "=r"(x[9]) : "r"(0xff000000u), "r"(5u));
  asm("vsub.u32.u32.s32.sat %0, %1, %2;" : "=r"(x[10]) : "r"(3u), "r"(4));
  asm("vadd.s32.u32.s32.sat.min %0, %1, %2, %3;" : "=r"(x[11]) : "r"(7u), "r"(INT_MAX), "r"(INT_MAX - 1));
}

int main() {
  std::vector<int8_t> a(16 * 64), b(64 * 8);
  for (size_t i = 0; i < a.size(); ++i) a[i] = (int8_t)((int)(i * 7 % 16) - 8);
  for (size_t i = 0; i < b.size(); ++i) b[i] = (int8_t)((int)(i * 5 % 16) - 8);
  Device<int8_t> left(a), right(b);
  Device<int> eight(64), four(128), full(64);
  eight_rows<<<1, 32>>>(left.data, right.data, eight.data);
  four_bits<<<1, 32>>>(left.data, right.data, four.data);
  saturated<<<1, 32>>>(full.data);
  auto small = eight.host(), large = four.host(), ends = full.host();
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int sum = 0, part = 1;
      for (int k = 0; k < 64; ++k) sum += a[row * 64 + k] * b[k * 8 + column];
      for (int k = 0; k < 16 && row < 8; ++k) part += a[row * 16 + k] * b[k * 8 + column];
      REQUIRE(large[row * 8 + column] == sum);
      if (row < 8) REQUIRE(small[row * 8 + column] == part);
    }
  // Even columns add sixteen, odd ones take sixteen away.
  REQUIRE(ends[0] == INT_MAX && ends[1] == INT_MIN);
  Device<unsigned> words(12);
  others<<<1, 1>>>(words.data);
  auto made = words.host();
  REQUIRE(made[0] == 0x12347ff9u && made[1] == 0x0000ffffu);
  REQUIRE(made[2] == 53 && made[3] == 5 && made[4] == 6 && made[5] == 2 && made[6] == 1280 && made[7] == 263);
  REQUIRE(made[8] == 0x5555abcdu && made[9] == 4);
  REQUIRE(made[10] == 0 && made[11] == INT_MAX - 1);
  return 0;
}
