#include <cooperative_groups.h>

#include "../../check.cuh"

__global__ void meet(float* x) {
  x[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();
}

int main() {
  Device<float> x(100000);
  void* arguments[] = {&x.data};
  auto error = cudaLaunchCooperativeKernel((void*)meet, 100000, 1024, arguments);  // expect: LAUNCH_CONFIGURATION
  return error == cudaSuccess;
}
