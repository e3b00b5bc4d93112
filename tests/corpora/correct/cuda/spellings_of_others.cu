#include "../../check.cuh"

// Ways to write things that nvcc takes and grammars do not expect.
#if defined(__LP64__) || defined(_WIN64)
#define ADDRESS_AS "l"
#else
#define ADDRESS_AS "r"
#endif
#define PAIR_LOAD(TO, FROM) asm("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(TO[0]), "=r"(TO[1]) : ADDRESS_AS(FROM))

struct Sum {
  static const float identity = 0.5f;
  static __device__ float of(float a, float b) { return a + b; }
};

template <bool staged>
__global__ void walk(const unsigned* x, unsigned* y, float* z) {
  [[maybe_unused]] __shared__ unsigned stage[64];
  unsigned i = threadIdx.x, one, pair[2];
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(one) : ADDRESS_AS(x + i));
  PAIR_LOAD(pair, x + (i & ~1u));
  if constexpr (staged) {
    stage[i] = pair[0] + pair[1];
    __syncthreads();
    one += stage[i ^ 1];
  }
  asm volatile("st.global.u32 [%0], %1;" : : ADDRESS_AS(y + i), "r"(one));
  z[i] = Sum::of(Sum::identity, (float)one);
}

int main() {
  std::vector<unsigned> host(64);
  for (unsigned i = 0; i < 64; ++i) host[i] = 3 * i;
  Device<unsigned> x(host), y(64);
  Device<float> z(64);
  walk<false><<<1, 64>>>(x.data, y.data, z.data);
  REQUIRE(y.host()[5] == 15 && z.host()[5] == 15.5f);
  walk<true><<<1, 64>>>(x.data, y.data, z.data);
  REQUIRE(y.host()[5] == 15 + 12 + 15 && y.host()[4] == 12 + 12 + 15);
  return 0;
}
