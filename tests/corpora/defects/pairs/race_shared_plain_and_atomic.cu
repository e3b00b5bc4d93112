#include "../../pair.cuh"

__global__ void count(const int* x, int* y) {
  __shared__ int total;
  int t = threadIdx.x;
  if (t == 0) total = 0;
#ifndef DEFECT
  __syncthreads();
#endif
  if (x[t] > 4) atomicAdd(&total, 1);  // expect: RACE_SHARED
  __syncthreads();
  if (t == 0) *y = total;
}

int main() {
  Device<int> x(ramp<int>(64)), y(1);
  count<<<1, 64>>>(x.data, y.data);
  REQUIRE(y.host()[0] == 44);
  return 0;
}
