#include "../../pair.cuh"

// Two pairs of warps, each with its own barrier.
__global__ void halves(const int* x, int* y) {
  __shared__ int s[128];
  int t = threadIdx.x, half = t / 64;
  s[t] = x[t];
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
#ifdef DEFECT
  y[t] = s[127 - t];  // expect: RACE_SHARED
#else
  y[t] = s[half * 64 + 63 - t % 64];
#endif
}

int main() {
  Device<int> x(ramp<int>(128)), y(128);
  halves<<<1, 128>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 63 % 17);
  return 0;
}
