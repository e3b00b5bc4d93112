#include "../../pair.cuh"

__device__ int locks[2] = {0, 0};
__device__ void acquire(int which) {
  while (atomicCAS(&locks[which], 0, 1) != 0) {  // expect: SYNC_DEADLOCK
  }
  __threadfence();
}
__device__ void release(int which) {
  __threadfence();
  atomicExch(&locks[which], 0);
}

__global__ void transfer(int* accounts, volatile int* started) {
  if (threadIdx.x != 0) return;
#ifdef DEFECT
  int first = blockIdx.x;
#else
  int first = 0;
#endif
  acquire(first);
#ifdef DEFECT
  atomicAdd((int*)started, 1);
  while (*started < 2) {
  }
#endif
  acquire(1 - first);
  accounts[0] -= 1;
  accounts[1] += 1;
  release(1 - first);
  release(first);
}

int main() {
  Device<int> accounts(std::vector<int>{10, 0}), started(std::vector<int>{0});
  transfer<<<2, 32>>>(accounts.data, started.data);
  REQUIRE(accounts.host()[1] == 2);
  return 0;
}
