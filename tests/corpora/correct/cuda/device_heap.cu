#include "../../check.cuh"

#include <cuda_profiler_api.h>
#include <device_functions.h>

__global__ void through_heap(int* y) {
  int* own = (int*)malloc(4 * sizeof(int));
  for (int i = 0; i < 4; ++i) own[i] = threadIdx.x + i;
  y[threadIdx.x] = own[0] + own[3];
  free(own);
}

int main() {
  cudaProfilerStart();
  Device<int> y(32);
  through_heap<<<1, 32>>>(y.data);
  for (int i = 0; i < 32; ++i) REQUIRE(y.host()[i] == 2 * i + 3);
  cudaProfilerStop();
  return 0;
}
