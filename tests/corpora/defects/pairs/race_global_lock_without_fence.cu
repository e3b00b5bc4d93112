#include "../../pair.cuh"

__device__ int lock = 0;

__global__ void push(int* list, int* count) {
  if (threadIdx.x == 0) {
    while (atomicExch(&lock, 1)) {
    }
    int at = *count;  // expect: RACE_GLOBAL
    list[at] = blockIdx.x;
    *count = at + 1;  // expect: RACE_GLOBAL
#ifndef DEFECT
    __threadfence();
#endif
    atomicExch(&lock, 0);
  }
}

int main() {
  Device<int> list(8), count(std::vector<int>{0});
  push<<<8, 32>>>(list.data, count.data);
  REQUIRE(count.host()[0] == 8);
  return 0;
}
