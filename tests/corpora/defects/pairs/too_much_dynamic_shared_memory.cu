#include "../../pair.cuh"

__global__ void use(float* y) {
  extern __shared__ float s[];
  s[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = s[threadIdx.x];
}

int main() {
  Device<float> y(64);
  int bytes = 64 * 1024;
#ifndef DEFECT
  cudaFuncSetAttribute(use, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
#endif
  use<<<1, 64, bytes>>>(y.data);  // expect: LAUNCH_CONFIGURATION
  REQUIRE(y.host()[5] == 5);
  return 0;
}
