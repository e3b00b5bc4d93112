#include "../../pair.cuh"

// A producing warp hands over a buffer; without the second barrier it fills it again too early.
__global__ void hand_over(const int* x, int* y, int rounds) {
  __shared__ int buffer[32];
  int lane = threadIdx.x % 32;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x < 32) {
#ifndef DEFECT
      asm volatile("bar.sync 2, 64;" ::: "memory");
#endif
      buffer[lane] = x[r * 32 + lane];  // expect: RACE_SHARED
      asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
#ifndef DEFECT
      asm volatile("bar.sync 2, 64;" ::: "memory");
#endif
      asm volatile("bar.sync 1, 64;" ::: "memory");
      y[r * 32 + lane] = buffer[31 - lane];  // expect: RACE_SHARED
    }
  }
}

int main() {
  Device<int> x(ramp<int>(128)), y(128);
  hand_over<<<1, 64>>>(x.data, y.data, 4);
  REQUIRE(y.host()[31] == 0);
  return 0;
}
