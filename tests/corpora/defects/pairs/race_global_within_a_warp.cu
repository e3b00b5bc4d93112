#include "../../pair.cuh"

__global__ void swap_neighbours(int* x) {
  int lane = threadIdx.x;
  int other = x[lane ^ 1];
#ifndef DEFECT
  __syncwarp();
#endif
  x[lane] = other;  // expect: RACE_GLOBAL
}

int main() {
  Device<int> x(ramp<int>(32));
  swap_neighbours<<<1, 32>>>(x.data);
  REQUIRE(x.host()[0] == 1 && x.host()[1] == 0);
  return 0;
}
