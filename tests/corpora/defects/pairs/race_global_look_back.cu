#include "../../pair.cuh"

// Every block adds the inclusive sum of the block before to its own.
__global__ void scan(const int* x, int* sums, volatile int* state) {
  if (threadIdx.x != 0) return;
  int b = blockIdx.x, before = 0;
  if (b > 0) {
    while (state[b - 1] == 0) {
    }
    __threadfence();
    before = sums[b - 1];  // expect: RACE_GLOBAL
  }
  sums[b] = before + x[b];  // expect: RACE_GLOBAL
#ifndef DEFECT
  __threadfence();
#endif
  state[b] = 1;
}

int main() {
  Device<int> x(std::vector<int>(16, 1)), sums(16), state(std::vector<int>(16, 0));
  scan<<<16, 32>>>(x.data, sums.data, state.data);
  REQUIRE(sums.host()[15] == 16);
  return 0;
}
