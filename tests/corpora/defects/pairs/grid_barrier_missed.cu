#include "../../pair.cuh"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void phases(int* x) {
  auto grid = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
#ifdef DEFECT
  if (blockIdx.x != 2) grid.sync();  // expect: SYNC_DEADLOCK
#else
  grid.sync();
#endif
  if (i == 0) x[i] = x[gridDim.x * blockDim.x - 1];
}

int main() {
  Device<int> x(128);
  void* arguments[] = {&x.data};
  cudaLaunchCooperativeKernel((void*)phases, dim3(4), dim3(32), arguments, 0, 0);
  cudaDeviceSynchronize();
  return 0;
}
