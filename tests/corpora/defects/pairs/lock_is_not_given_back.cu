#include "../../pair.cuh"

__device__ int lock = 0;

__global__ void add(int* total) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {  // expect: SYNC_DEADLOCK
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
#ifdef DEFECT
    if (blockIdx.x != 1) atomicExch(&lock, 0);
#else
    atomicExch(&lock, 0);
#endif
  }
}

int main() {
  Device<int> total(std::vector<int>{0});
  add<<<4, 32>>>(total.data);
  REQUIRE(total.host()[0] == 6);
  return 0;
}
