#include "../../pair.cuh"

__global__ void neighbours(const int* x, int* y) {
  __shared__ int s[32];
  int lane = threadIdx.x;
  s[lane] = x[lane];
#ifndef DEFECT
  __syncwarp();
#endif
  y[lane] = s[lane ^ 1];  // expect: RACE_SHARED
}

int main() {
  Device<int> x(ramp<int>(32)), y(32);
  neighbours<<<1, 32>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 1);
  return 0;
}
