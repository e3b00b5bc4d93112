// Registers that one asm statement declares and later ones go on with, until a closing brace ends them.
#include <cstdint>

#include "../../check.cuh"

constexpr uint32_t MODULUS = 2013265921u;

__device__ uint32_t add(uint32_t a, uint32_t b) {
  uint32_t reduced, carry;
  asm("{ .reg.pred %above;");
  asm("add.cc.u32 %0, %0, %2; addc.u32 %1, 0, 0;" : "+r"(a), "=r"(carry) : "r"(b));
  asm("sub.u32 %0, %1, %2;" : "=r"(reduced) : "r"(a), "r"(MODULUS));
  asm("setp.ge.u32 %above, %0, %1;" : : "r"(a), "r"(MODULUS));
  asm("@%above mov.b32 %0, %1;" : "+r"(a) : "r"(reduced));
  asm("}");
  return a;
}

__device__ uint32_t negate(uint32_t a, bool really) {
  uint32_t negative;
#ifdef NEVER_DEFINED
  asm("{ .reg.pred %zero;");
#else
  asm("{ .reg.pred %zero, %chosen;");
#endif
  asm("setp.eq.u32 %zero, %0, 0;" : : "r"(a));
  asm("setp.ne.u32 %chosen, %0, 0;" : : "r"((int)really));
  asm("sub.u32 %0, %1, %2;" : "=r"(negative) : "r"(MODULUS), "r"(a));
  asm("@%zero mov.b32 %0, 0;" : "+r"(negative));
  if (negative != 1) asm("@%chosen mov.b32 %0, %1;" : "+r"(a) : "r"(negative));
  asm("}");
  // The same name again, of another width.
  asm("{ .reg .b64 %zero; mov.b64 %zero, %0; .reg .b32 %high;" : : "l"((uint64_t)a << 32));
  asm("mov.b64 {_, %high}, %zero; mov.b32 %0, %high; }" : "=r"(negative));
  return negative;
}

__global__ void field(uint32_t* sums, uint32_t* negatives, uint32_t* bits) {
  uint32_t i = threadIdx.x, a = MODULUS - 16 + i, b = i * 3;
  sums[i] = add(a, b);
  negatives[i] = negate(i, i % 2);
  uint32_t shift, quarter;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(shift) : "r"(i));
  asm("shr.u32 %0, %1, 32-2;" : "=r"(quarter) : "r"(i << 27));
  bits[2 * i] = shift;
  bits[2 * i + 1] = quarter;
}

int main() {
  Device<uint32_t> sums(32), negatives(32), bits(64);
  field<<<1, 32>>>(sums.data, negatives.data, bits.data);
  auto s = sums.host(), n = negatives.host(), b = bits.host();
  for (uint32_t i = 0; i < 32; ++i) {
    REQUIRE(s[i] == (uint64_t(MODULUS) - 16 + i + 3 * i) % MODULUS);
    REQUIRE(n[i] == (i % 2 && MODULUS - i != 1 ? MODULUS - i : i));
    REQUIRE(b[2 * i] == (i ? (uint32_t)__builtin_clz(i) : 0xffffffffu));
    REQUIRE(b[2 * i + 1] == (i << 27) >> 30);
  }
  return 0;
}
