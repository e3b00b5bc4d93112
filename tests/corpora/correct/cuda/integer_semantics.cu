#include "../../check.cuh"

__global__ void edges(int* out, int zero, float big) {
  out[0] = 7 / (threadIdx.x == 99 ? zero : 2);
  out[1] = (int)min(3u, 5u) + max(-2, 1);
  out[2] = __popc(0xf0f0) + __clz(1) + __ffs(8);
  out[3] = threadIdx.x + 1 > 0 ? 5 % (zero + 3) : 0;
  unsigned wide = 0x80000000u;
  out[4] = (int)(wide >> 31) + (int)__brev(1u >> 0 << 0) / 0x40000000;
}

template <class T>
__global__ void highest_bit(T* out, const T value, int by) {
  const auto number = value;
  const auto bit = decltype(number)(1) << (sizeof(decltype(number)) * 8 - by);
  *out = number & bit;
}

int main() {
  Device<int> out(5);
  edges<<<1, 1>>>(out.data, 0, 1e20f);
  auto o = out.host();
  REQUIRE(o[0] == 3 && o[1] == 4 && o[2] == 8 + 31 + 4 && o[3] == 2);
  Device<unsigned> word(1);
  Device<unsigned long long> longer(1);
  highest_bit<<<1, 1>>>(word.data, 0xc0000001u, 1);
  highest_bit<<<1, 1>>>(longer.data, 0xc000000000000001ull, 1);
  REQUIRE(word.host()[0] == 1u << 31 && longer.host()[0] == 1ull << 63);
  return 0;
}
