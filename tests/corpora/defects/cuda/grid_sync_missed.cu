#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void wait_for_most(float* x) {
  x[blockIdx.x] = 1;
  if (blockIdx.x == 3) return;
  cooperative_groups::this_grid().sync();  // expect: SYNC_DEADLOCK
  if (blockIdx.x == 0) x[1] = 2;
}

int main() {
  Device<float> x(4);
  void* arguments[] = {&x.data};
  cudaLaunchCooperativeKernel((void*)wait_for_most, 4, 32, arguments);
  return cudaDeviceSynchronize() != cudaSuccess;
}
