// What C++ leaves open of shifts and conversions, and a device defines; and places where a call could not stand as it is.
#include "../../check.cuh"

template <int N>
__device__ constexpr int power() { return 1 << N; }
template <typename T>
__device__ T rotated(T v, int n) { return (v << n) | (v >> (int)(8 * sizeof(T) - n)); }
enum Mode { first = 1, third = 3 };
struct Bits { unsigned few : 5; unsigned many; };

__global__ void convert(const float* x, int* out, unsigned* u) {
  out[0] = (int)x[0], out[1] = int(x[1]), out[2] = static_cast<int>(x[2]);
  out[3] = (int)__int_as_float(0x7fffffff), out[4] = (signed char)x[4];
  u[0] = (unsigned)x[3], u[1] = (unsigned char)x[3], u[2] = (short)x[4], u[3] = (long long)x[0] >> 60;
}
__global__ void shift(int n, unsigned s, int* out, unsigned* u) {
  constexpr int log = 5;
  __shared__ int buffer[1 << log];
  const int three = 3;
  int local[(int)three];
  static_assert((1 << log) == 32);
  local[0] = buffer[threadIdx.x] = (int)threadIdx.x;
  unsigned v = 5;
  v <<= s;
  Bits bits{3, 7};
  bits.many <<= 2 + three, bits.few <<= three;
  volatile int slow = 3;
  slow <<= three;
  out[0] = -8 >> s, out[1] = local[0], out[2] = (int)third;
  u[0] = v, u[1] = 1u << s, u[2] = ~0u >> s, u[3] = bits.many + (int)bits.few, u[4] = rotated<unsigned>(3u, 31);
  Mode mode = third;
  u[5] = 1 << mode;
  switch (n) {
    case 1 << log: u[6] = power<4>(); break;
    default: u[6] = 99;
  }
#if (1 << 4) == 16
  u[7] = slow;
#endif
}

int main() {
  Device<float> x(std::vector<float>{3e9f, -3e9f, 1.9f, -5.f, 70000.f});
  Device<int> out(5);
  Device<unsigned> u(8);
  convert<<<1, 1>>>(x.data, out.data, u.data);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  auto o = out.host();
  REQUIRE(o[0] == 2147483647 && o[1] == -2147483647 - 1 && o[2] == 1 && o[3] == 0 && o[4] == 112);
  shift<<<1, 1>>>(32, 32u, out.data, u.data);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  o = out.host();
  REQUIRE(o[0] == -1 && o[1] == 0 && o[2] == 3);
  auto w = u.host();
  REQUIRE(w[0] == 0 && w[1] == 0 && w[2] == 0 && w[3] == 248 && w[4] == 0x80000001u);
  REQUIRE(w[5] == 8 && w[6] == 16 && w[7] == 24);
  return 0;
}
