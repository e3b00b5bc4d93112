#include "../../check.cuh"

__device__ int lock = 0;

__global__ void add(int* total) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile int*)total = *(volatile int*)total + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

__global__ void chain(volatile int* turn, int* order) {
  if (threadIdx.x == 0) {
    while (*turn != (int)(gridDim.x - 1 - blockIdx.x)) {
    }
    order[blockIdx.x] = *turn;
    __threadfence();
    *turn = *turn + 1;
  }
}

int main() {
  Device<int> total(std::vector<int>{0}), turn(std::vector<int>{0}), order(6);
  add<<<4, 128>>>(total.data);
  chain<<<6, 32>>>(turn.data, order.data);
  REQUIRE(total.host()[0] == 16);
  auto o = order.host();
  for (int b = 0; b < 6; ++b) REQUIRE(o[b] == 5 - b);
  return 0;
}
