#include "../../pair.cuh"

#include <cuda_fp16.h>

union Word {
  float real;
  unsigned bits;
  unsigned char bytes[4];
};

template <class A, class B, class C>
__global__ void mix(const float* x, float* y, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  A* a = reinterpret_cast<A*>(raw);
  B* b = reinterpret_cast<B*>(a + n);
  C* c = reinterpret_cast<C*>(b + n);
  Word* words = reinterpret_cast<Word*>(raw);
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = __float2half(x[t]);
  c[t] = (C)(t & 7);
  __syncthreads();
  float sum = (float)a[n - 1 - t] + __half2float(b[n - 1 - t]) + c[n - 1 - t];
  __syncthreads();
  words[t].real = sum;
  __syncthreads();
  unsigned bits = words[n - 1 - t].bits;
  unsigned char low = words[t].bytes[0];
  y[t] = __uint_as_float(bits) + 0.0f * low;
}

int main() {
  const int n = 64;
  Device<float> x(ramp(n)), y(n);
  mix<double, __half, signed char><<<1, n, n * (8 + 2 + 1)>>>(x.data, y.data, n);
  REQUIRE(y.host()[2] == 6);
  return 0;
}
