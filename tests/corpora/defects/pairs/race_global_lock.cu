#include "../../pair.cuh"

__device__ int lock = 0;

__global__ void accumulate(const float* x, float* total) {
  if (threadIdx.x != 0) return;
#ifndef DEFECT
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
#endif
  total[0] += x[blockIdx.x];  // expect: RACE_GLOBAL
  total[1] = fmaxf(total[1], x[blockIdx.x]);  // expect: RACE_GLOBAL
#ifndef DEFECT
  __threadfence();
  atomicExch(&lock, 0);
#endif
}

int main() {
  Device<float> x(ramp(16)), total(std::vector<float>{0, 0});
  accumulate<<<16, 32>>>(x.data, total.data);
  REQUIRE(total.host()[0] == 120);
  return 0;
}
