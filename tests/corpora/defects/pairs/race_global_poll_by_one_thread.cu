#include "../../pair.cuh"

// One thread waits for the other block; the rest of its block must wait for that thread.
__global__ void pair(int* data, int* y, int* flag) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 2 * t;
    __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (t == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
#ifndef DEFECT
    __syncthreads();
#endif
    y[t] = data[t];  // expect: RACE_GLOBAL, INIT_UNINITIALISED_READ?
  }
}

int main() {
  Device<int> data(64), y(64), flag(std::vector<int>{0});
  pair<<<2, 64>>>(data.data, y.data, flag.data);
  REQUIRE(y.host()[63] == 126);
  return 0;
}
