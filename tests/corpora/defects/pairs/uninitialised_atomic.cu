#include "../../pair.cuh"

__global__ void count(const int* x, int* counters) {
  if (x[threadIdx.x] > 3) atomicAdd(&counters[blockIdx.x], 1);  // expect: INIT_UNINITIALISED_READ
}

int main() {
  Device<int> x(ramp<int>(32)), counters(4);
#ifndef DEFECT
  cudaMemset(counters.data, 0, 4 * sizeof(int));
#endif
  count<<<4, 32>>>(x.data, counters.data);
  return 0;
}
