// Numbers of several words: the carry goes from one instruction to the next, also into another statement.
#include <cstdint>

#include "../../check.cuh"

__device__ void add128(uint32_t (&sum)[4], const uint32_t* a, const uint32_t* b) {
  asm("add.cc.u32 %0, %4, %8;\n\t"
      "addc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\t"
      "addc.u32 %3, %7, %11;"
      : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

#define HINT(bytes) ".L2::" #bytes "B"

__global__ void wide(const uint32_t* x, uint32_t* sums, uint64_t* differences, uint32_t* products) {
  int i = threadIdx.x;
  uint32_t sum[4];
  add128(sum, x + 8 * i, x + 8 * i + 4);
  for (int k = 0; k < 4; ++k) sums[4 * i + k] = sum[k];
  uint64_t low, high;
  asm volatile("sub.cc.u64 %0, %1, %2;" : "=l"(low) : "l"((uint64_t)i), "l"((uint64_t)5));
  asm volatile("subc.u64 %0, %1, %2;" : "=l"(high) : "l"((uint64_t)10), "l"((uint64_t)3));
  differences[2 * i] = low;
  differences[2 * i + 1] = high;
  uint32_t first, second, third;
  asm("ld.global" HINT(128) ".u32 %0, [%1];" : "=r"(third) : "l"(x + 8 * i));
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;"
      : "=r"(first), "=r"(second)
      : "r"(third), "r"(0xfffffff1u), "r"(0xffffffffu), "r"(7u));
  products[2 * i] = first;
  products[2 * i + 1] = second;
}

int main() {
  std::vector<uint32_t> host(32 * 8);
  for (int i = 0; i < 32 * 8; ++i) host[i] = i % 3 ? 0xffffffffu - i : i * 2654435761u;
  Device<uint32_t> x(host), sums(32 * 4), products(64);
  Device<uint64_t> differences(64);
  wide<<<1, 32>>>(x.data, sums.data, differences.data, products.data);
  auto s = sums.host(), p = products.host();
  auto d = differences.host();
  for (int i = 0; i < 32; ++i) {
    uint64_t carry = 0;
    for (int k = 0; k < 4; ++k) {
      carry += (uint64_t)host[8 * i + k] + host[8 * i + 4 + k];
      REQUIRE(s[4 * i + k] == (uint32_t)carry);
      carry >>= 32;
    }
    REQUIRE(d[2 * i] == (uint64_t)i - 5 && d[2 * i + 1] == (i < 5 ? 6u : 7u));
    uint64_t product = (uint64_t)host[8 * i] * 0xfffffff1u;
    uint64_t low = (product & 0xffffffffu) + 0xffffffffu;
    REQUIRE(p[2 * i] == (uint32_t)low && p[2 * i + 1] == (uint32_t)(product >> 32) + 7 + (uint32_t)(low >> 32));
  }
  return 0;
}
