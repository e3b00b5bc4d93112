#include "../../pair.cuh"

__global__ void count(const int* x, int* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DEFECT
  if (i < n && x[i] > 8) *total += 1;  // expect: RACE_GLOBAL
#else
  if (i < n && x[i] > 8) atomicAdd(total, 1);
#endif
}

int main() {
  Device<int> x(ramp<int>(170)), total(std::vector<int>{0});
  count<<<3, 64>>>(x.data, total.data, 170);
  REQUIRE(total.host()[0] == 80);
  return 0;
}
