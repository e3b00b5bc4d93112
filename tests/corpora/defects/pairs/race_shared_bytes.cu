#include "../../pair.cuh"

__global__ void pack(const int* x, unsigned char* y) {
  __shared__ unsigned char bytes[64];
  int t = threadIdx.x;
  // Neighbouring bytes of one word are different places.
#ifdef DEFECT
  bytes[t / 2] = (unsigned char)x[t];  // expect: RACE_SHARED
#else
  bytes[t] = (unsigned char)x[t];
#endif
  __syncthreads();
  if (t < 32) y[t] = bytes[t];
}

int main() {
  Device<int> x(ramp<int>(64));
  Device<unsigned char> y(32);
  pack<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[3] == 3);
  return 0;
}
