#include "../../pair.cuh"

__global__ void groups(int* y) {
#ifdef DEFECT
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;" ::: "memory");  // expect: SYNC_DEADLOCK
#else
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
  y[threadIdx.x] = threadIdx.x;
}

int main() {
  Device<int> y(128);
  groups<<<1, 128>>>(y.data);
  return 0;
}
