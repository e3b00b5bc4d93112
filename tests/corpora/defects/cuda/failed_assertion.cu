#include "../../check.cuh"

#include <cassert>

__global__ void check(const float* x) {
  assert(x[threadIdx.x] > 0.0f);  // expect: LAUNCH_TRAP
}

int main() {
  Device<float> x(ramp(32));
  check<<<1, 32>>>(x.data);
  return 0;
}
