#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void wait_for_all(float* x) {
  x[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();  // expect: LAUNCH_TRAP
  if (blockIdx.x == 0) x[1] = 2;
}

int main() {
  Device<float> x(4);
  wait_for_all<<<4, 1>>>(x.data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
