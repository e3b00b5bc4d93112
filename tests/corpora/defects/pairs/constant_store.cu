#include "../../pair.cuh"

__constant__ int limits[4];

__global__ void raise(int* y) {
#ifdef DEFECT
  const_cast<int*>(limits)[threadIdx.x] += 1;  // expect: MEM_READ_ONLY
  y[threadIdx.x] = limits[threadIdx.x];
#else
  y[threadIdx.x] = limits[threadIdx.x] + 1;
#endif
}

int main() {
  int host[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(limits, host, sizeof host);
  Device<int> y(4);
  raise<<<1, 4>>>(y.data);
  REQUIRE(y.host()[3] == 5);
  return 0;
}
