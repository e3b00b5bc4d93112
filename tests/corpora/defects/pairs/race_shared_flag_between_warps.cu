#include "../../pair.cuh"

__global__ void pass(const int* x, int* y) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = x[0];
#ifndef DEFECT
    __threadfence_block();
#endif
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (!ready) {
    }
    __threadfence_block();
    *y = value;  // expect: RACE_SHARED
  }
}

int main() {
  Device<int> x(std::vector<int>{7}), y(1);
  pass<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 7);
  return 0;
}
